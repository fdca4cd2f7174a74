/// Walks the frames of packed audio: each must begin where the preceding one ends.
struct PackedAudioInspector: ContainerInspector {
    private var kind: PackedAudioKind
    private var byteCount = 0
    private var damage: Damage?
    /// The first bytes of a tag or frame, until they identify it.
    private var opening: [UInt8] = []
    /// Bytes of it that are still to come.
    private var skipCount = 0
    /// Set while a tag is being collected.
    private var tag: [UInt8]?
    /// Whether nothing more can be learned: synchronisation is lost, or frames do not state their length.
    private var ignoresRest = false
    private var firstHeader: AudioFrameHeader?
    private var sampleCount = 0
    private var timestamp: MediaTimestamp?

    init(kind: PackedAudioKind) {
        self.kind = kind
    }

    mutating func append(_ bytes: Span<UInt8>) {
        byteCount += bytes.count
        var offset = 0
        while offset < bytes.count && !ignoresRest {
            if skipCount > 0 {
                offset += pass(bytes.extracting(offset..<bytes.count))
            } else {
                opening.append(bytes[offset])
                offset += 1
                if opening.count == ID3Tag.headerByteCount { recognise(behind: bytes.count - offset) }
            }
        }
    }

    mutating func finish() -> MediaInspection {
        while !opening.isEmpty && skipCount == 0 && !ignoresRest { recognise(behind: 0) }
        if skipCount > 0 && damage == nil { damage = .partialFrame(missingByteCount: skipCount) }
        if firstHeader == nil && damage == nil { damage = .missingMedia }
        let track = track
        return MediaInspection(
            container: .packedAudio(kind), integrity: damage.map(Integrity.damaged) ?? .whole,
            byteCount: byteCount,
            tracks: [track], firstTimestamp: timestamp, durationMicroseconds: track.durationMicroseconds)
    }

    private var track: Track {
        var track = Track(id: 0, kind: .audio, codec: "\(kind)", codecString: firstHeader?.codecString)
        track.firstTimestamp = timestamp
        track.sampleRate = firstHeader?.sampleRate
        track.audioChannels = firstHeader?.audioChannels
        if let header = firstHeader, !ignoresRest || damage != nil {
            track.durationMicroseconds = MediaTimestamp.microseconds(
                UInt64(sampleCount), UInt32(header.sampleRate))
        }
        return track
    }

    /// Skips bytes of the open tag or frame and returns their number.
    private mutating func pass(_ bytes: Span<UInt8>) -> Int {
        let count = min(skipCount, bytes.count)
        if tag != nil { for index in 0..<count { tag?.append(bytes[index]) } }
        skipCount -= count
        if skipCount == 0 { closeTag() }
        return count
    }

    private mutating func closeTag() {
        if let tag, timestamp == nil { timestamp = ID3Tag.timestamp(tag) }
        tag = nil
    }

    /// Recognises what begins in `opening`; `behind` bytes of the current piece follow it.
    private mutating func recognise(behind: Int) {
        if let length = ID3Tag.byteCount(header: opening[...]) {
            if firstHeader == nil && length <= Limits.tagByteCount { tag = opening }
            open(length)
        } else if opening.starts(with: "TAG".utf8) && firstHeader?.kind == .mp3 {
            open(128)  // An ID3 tag of version 1 at the end of a file.
        } else if let header = AudioFrameHeader(reading: opening[...]),
            header.kind == firstHeader?.kind ?? header.kind
        {
            count(header)
            if let length = header.frameByteCount { open(length) } else { ignoresRest = true }
        } else {
            loseSynchronisation(behind)
        }
    }

    private mutating func count(_ header: AudioFrameHeader) {
        if firstHeader == nil {
            firstHeader = header
            kind = header.kind
        }
        sampleCount += header.sampleCount
    }

    /// Opens a tag or frame of this length, at least 6 bytes, that begins with `opening`.
    private mutating func open(_ length: Int) {
        if length >= opening.count {
            skipCount = length - opening.count
            opening.removeAll(keepingCapacity: true)
            if skipCount == 0 { closeTag() }
        } else {
            opening.removeFirst(length)
        }
    }

    private mutating func loseSynchronisation(_ behind: Int) {
        let isCutHeader = opening.count < AudioFrameHeader.byteCount
        damage =
            isCutHeader
            ? .partialFrame(missingByteCount: AudioFrameHeader.byteCount - opening.count)
            : .lostSynchronisation(offset: byteCount - behind - opening.count)
        ignoresRest = true
    }
}
