/// The first key frame of a traf: its end and its time.
struct FragmentKeyFrame {
    /// From the begin of the moof to the end of the sample.
    let end: UInt64
    /// In the track's timescale.
    let decodeTime: UInt64

    /// Nil if there is none, or if sizes, flags or the place of the samples are not known.
    init?(in content: ByteCursor, isFirst: Bool, initSection: InitSection) {
        guard let header = BoxSequence.first("tfhd", in: content),
            let defaults = SampleDefaults(reading: header, initSection: initSection, isFirst: isFirst),
            let time = BoxSequence.first("tfdt", in: content).flatMap(Self.decodeTime)
        else { return nil }
        var sums = Sums(position: nil, time: time)
        for box in BoxSequence(content) where box.type == "trun" {
            guard let found = Self.search(box, defaults, &sums) else { return nil }
            if found { break }
        }
        guard sums.isFound, let position = sums.position else { return nil }
        (end, decodeTime) = (position, sums.time)
    }

    /// Where the next sample begins, and when it is decoded.
    private struct Sums {
        var position: UInt64?
        var time: UInt64
        var isFound = false

        /// False on overflow.
        mutating func pass(_ size: UInt32, _ duration: UInt32) -> Bool {
            guard let start = position else { return false }
            let (next, first) = start.addingReportingOverflow(UInt64(size))
            let (later, second) = time.addingReportingOverflow(UInt64(duration))
            (position, time) = (next, later)
            return !first && !second
        }
    }

    private static func decodeTime(_ box: Box) -> UInt64? {
        var box = box
        guard let version = box.fullHeader()?.version else { return nil }
        return version == 1 ? box.content.uint64() : box.content.uint32().map(UInt64.init)
    }

    /// Walks the samples of a trun (ISO 14496-12 §8.8.8) up to the first key frame; nil if they cannot be
    /// walked.
    private static func search(_ box: Box, _ defaults: SampleDefaults, _ sums: inout Sums) -> Bool? {
        var box = box
        guard let flags = box.fullHeader()?.flags, let count = box.content.uint32() else { return nil }
        if flags & 0x1 != 0 {
            guard let offset = box.content.uint32(), offset <= UInt32(Int32.max) else { return nil }
            sums.position = UInt64(offset)
        }
        let firstFlags = flags & 0x4 != 0 ? box.content.uint32() : nil
        // If samples have no flags of their own, all samples after the first are alike.
        let isEach = flags & 0x400 != 0
        for index in 0..<(isEach ? count : min(count, 2)) {
            let duration = flags & 0x100 != 0 ? box.content.uint32() : defaults.duration
            let size = flags & 0x200 != 0 ? box.content.uint32() : defaults.size
            let own = isEach ? box.content.uint32() : defaults.flags
            if flags & 0x800 != 0 { box.content.skip(4) }
            guard let size, let marks = index == 0 ? firstFlags ?? own : own else { return nil }
            // Bit 16 is sample_is_non_sync_sample (ISO 14496-12 §8.8.3.1).
            guard marks & 0x1_0000 != 0 else {
                sums.isFound = size > 0 && sums.pass(size, 0)
                return sums.isFound ? true : nil
            }
            guard let duration, sums.pass(size, duration) else { return nil }
        }
        // If samples have no flags of their own, no later sample is a key frame, and the search can end.
        return isEach || count <= 2 ? false : nil
    }
}

/// What a tfhd (ISO 14496-12 §8.8.7) and the initialization section say of each sample.
struct SampleDefaults {
    private(set) var duration: UInt32?
    private(set) var size: UInt32?
    private(set) var flags: UInt32?

    /// Nil if the samples' places do not count from the begin of the moof.
    init?(reading box: Box, initSection: InitSection, isFirst: Bool) {
        var box = box
        guard let marks = box.fullHeader()?.flags, let id = box.content.uint32(),
            marks & 0x1 == 0, isFirst || marks & 0x2_0000 != 0
        else { return nil }
        let track = initSection.track(id)
        (duration, size, flags) = (track?.sampleDuration, track?.sampleSize, track?.sampleFlags)
        if marks & 0x2 != 0 { box.content.skip(4) }
        if marks & 0x8 != 0 { duration = box.content.uint32() }
        if marks & 0x10 != 0 { size = box.content.uint32() }
        if marks & 0x20 != 0 { flags = box.content.uint32() }
    }
}
