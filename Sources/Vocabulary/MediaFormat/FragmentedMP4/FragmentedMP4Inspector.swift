/// Walks the boxes of an fMP4 segment: sizes must add up, moofs are read, media is skipped.
struct FragmentedMP4Inspector: ContainerInspector {
    private var initSection: InitSection?
    private var byteCount = 0
    private var damage: Damage?
    private var header: [UInt8] = []
    private var open: OpenBox?
    private var hasFragment = false
    private var hasMedia = false
    private var times: [FragmentTimes] = []
    private var keyFrames = KeyFrameList()

    /// The box whose content is arriving.
    private struct OpenBox {
        var type: String
        var offset: Int
        /// Nil for a box that extends to the end.
        var remaining: UInt64?
        /// The content, if the box is read.
        var content: [UInt8]?
    }

    init(initSection: InitSection?) {
        self.initSection = initSection
    }

    mutating func append(_ bytes: Span<UInt8>) {
        var offset = 0
        while offset < bytes.count {
            if case .invalidBox = damage { break }
            if open != nil {
                offset += pass(bytes.extracting(offset..<bytes.count))
            } else {
                header.append(bytes[offset])
                offset += 1
                readHeader(at: byteCount + offset)
            }
        }
        byteCount += bytes.count
    }

    mutating func finish() -> MediaInspection {
        if let open, open.remaining != nil, damage == nil { damage = .truncatedBox(type: open.type) }
        if open?.remaining == nil { close() }
        if !header.isEmpty && damage == nil {
            damage = .truncatedBox(type: BoxHeader.text(header.dropFirst(4)[...]))
        }
        if damage == nil && !(hasFragment && hasMedia) { damage = .missingMedia }
        let tracks = tracks
        let leading = tracks.leading
        return MediaInspection(
            container: .fragmentedMP4, integrity: damage.map(Integrity.damaged) ?? .whole,
            byteCount: byteCount,
            tracks: tracks, firstTimestamp: leading?.firstTimestamp, lastTimestamp: leading?.lastTimestamp,
            durationMicroseconds: leading?.durationMicroseconds,
            startsWithKeyFrame: startsWithKeyFrame(tracks),
            keyFrames: leading?.kind == .video
                ? keyFrames.keyFrames(since: leading?.firstTimestamp, in: byteCount) : nil)
    }

    /// `end` is the offset after the header bytes so far.
    private mutating func readHeader(at end: Int) {
        guard let needed = BoxHeader.neededByteCount(header[...]), header.count >= needed else { return }
        let offset = end - header.count
        guard let box = BoxHeader(reading: header[...]) else {
            damage = damage ?? .invalidBox(offset: offset)
            return
        }
        header.removeAll(keepingCapacity: true)
        hasMedia = hasMedia || box.type == "mdat"
        hasFragment = hasFragment || box.type == "moof"
        let length = box.contentByteCount ?? .max
        let isRead = box.type == "moof" || (box.type == "moov" && initSection == nil)
        let content: [UInt8]? = isRead && length <= UInt64(Limits.movieFragmentByteCount) ? [] : nil
        open = OpenBox(type: box.type, offset: offset, remaining: box.contentByteCount, content: content)
        if box.contentByteCount == 0 { close() }
    }

    /// Skips content of the open box and returns the number of bytes.
    private mutating func pass(_ bytes: Span<UInt8>) -> Int {
        let count = Int(clamping: min(open?.remaining ?? .max, UInt64(bytes.count)))
        if open?.content != nil { for index in 0..<count { open?.content?.append(bytes[index]) } }
        guard let remaining = open?.remaining else { return count }
        open?.remaining = remaining - UInt64(count)
        if remaining == UInt64(count) { close() }
        return count
    }

    private mutating func close() {
        guard let box = open else { return }
        open = nil
        guard let content = box.content else { return }
        if box.type == "moov" {
            initSection = InitSection(movie: ByteCursor(content))
        } else {
            readFragment(ByteCursor(content), box.offset)
        }
    }

    private mutating func readFragment(_ content: ByteCursor, _ offset: Int) {
        var boxes = BoxSequence(content)
        var isFirst = true
        while let box = boxes.next() {
            if box.type == "traf" {
                findKeyFrame(box.content, offset, isFirst: isFirst)
                isFirst = false
            }
            guard box.type == "traf",
                let fragment = TrackFragment(reading: box.content, initSection: initSection)
            else { continue }
            add(fragment)
        }
        if boxes.invalidOffset != nil && damage == nil { damage = .invalidBox(offset: offset) }
    }

    /// `offset` is that of the moof.
    private mutating func findKeyFrame(_ content: ByteCursor, _ offset: Int, isFirst: Bool) {
        guard let initSection,
            let video = initSection.tracks.first(where: { $0.description.kind == .video }),
            BoxSequence.first("tfhd", in: content).flatMap(TrackFragment.trackID) == video.description.id,
            let frame = FragmentKeyFrame(in: content, isFirst: isFirst, initSection: initSection),
            let length = Int(exactly: frame.end),
            let time = MediaTimestamp(track: frame.decodeTime, timescale: video.timescale)
        else { return }
        let (end, overflowed) = offset.addingReportingOverflow(length)
        if !overflowed { keyFrames.add(offset: offset, end: end, time: time) }
    }

    private mutating func add(_ fragment: TrackFragment) {
        if let index = times.firstIndex(where: { $0.trackID == fragment.trackID }) {
            times[index].add(fragment)
        } else if times.count < Limits.trackCount {
            times.append(FragmentTimes(trackID: fragment.trackID))
            times[times.count - 1].add(fragment)
        }
    }

    /// Without an initialization section the tracks have no kind and no timescale.
    private var tracks: [Track] {
        guard let initSection else { return times.map { Track(id: $0.trackID, kind: .other) } }
        return initSection.tracks.map { known in
            var track = known.description
            times.first { $0.trackID == track.id }?.describe(&track, timescale: known.timescale)
            return track
        }
    }

    private func startsWithKeyFrame(_ tracks: [Track]) -> Bool? {
        guard let video = tracks.first(where: { $0.kind == .video }) else { return nil }
        return times.first { $0.trackID == video.id }?.startsWithKeyFrame
    }
}
