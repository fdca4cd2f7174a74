/// The samples of a traf (ISO 14496-12 §8.8.6).
struct TrackFragment {
    private(set) var trackID: UInt32 = 0
    private(set) var decodeTime: UInt64?
    /// The sum of all samples' durations in the track's timescale; nil when one is unknown or the sum exceeds
    /// 64 bits.
    private(set) var duration: UInt64? = 0
    /// Duration of the last sample.
    private(set) var lastSampleDuration: UInt32?
    /// Flags of the first sample; nil when unknown.
    private(set) var firstSampleFlags: UInt32?
    private var defaultDuration: UInt32?
    private var defaultFlags: UInt32?
    private(set) var sampleCount: UInt64 = 0

    /// Nil without a track header.
    init?(reading content: ByteCursor, initSection: InitSection?) {
        guard let header = BoxSequence.first("tfhd", in: content), takeHeader(header, initSection) else {
            return nil
        }
        for box in BoxSequence(content) {
            if box.type == "tfdt" { takeDecodeTime(box) }
            if box.type == "trun" { takeRun(box) }
        }
    }

    /// The track that a tfhd names.
    static func trackID(_ header: Box) -> UInt32? {
        var box = header
        return box.fullHeader() == nil ? nil : box.content.uint32()
    }

    private mutating func takeHeader(_ box: Box, _ initSection: InitSection?) -> Bool {
        var box = box
        guard let flags = box.fullHeader()?.flags, let id = box.content.uint32() else { return false }
        trackID = id
        defaultDuration = initSection?.track(id)?.sampleDuration
        defaultFlags = initSection?.track(id)?.sampleFlags
        box.content.skip((flags & 0x1 == 0 ? 0 : 8) + (flags & 0x2 == 0 ? 0 : 4))
        if flags & 0x8 != 0 { defaultDuration = box.content.uint32() }
        if flags & 0x10 != 0 { box.content.skip(4) }
        if flags & 0x20 != 0 { defaultFlags = box.content.uint32() }
        return true
    }

    private mutating func takeDecodeTime(_ box: Box) {
        var box = box
        guard let version = box.fullHeader()?.version else { return }
        decodeTime = version == 1 ? box.content.uint64() : box.content.uint32().map(UInt64.init)
    }

    private mutating func takeRun(_ box: Box) {
        var box = box
        guard let flags = box.fullHeader()?.flags, let count = box.content.uint32() else {
            duration = nil
            return
        }
        if flags & 0x1 != 0 { box.content.skip(4) }
        let first = flags & 0x4 != 0 ? box.content.uint32() : nil
        let samples = SampleRun(flags: flags, count: count, content: box.content)
        if sampleCount == 0 && count > 0 { firstSampleFlags = first ?? samples.firstFlags ?? defaultFlags }
        sampleCount += UInt64(count)
        add(samples.duration(default: defaultDuration))
        if count > 0 { lastSampleDuration = samples.lastDuration(default: defaultDuration) }
    }

    private mutating func add(_ length: UInt64?) {
        guard let sum = duration, let length else {
            duration = nil
            return
        }
        let (total, overflowed) = sum.addingReportingOverflow(length)
        duration = overflowed ? nil : total
    }
}
