/// Gives each track of a transport stream the PID that it has in the first segment.
///
/// After a discontinuity the PIDs may differ (RFC 8216 §4.3.2.3). Programs that read the segments as one
/// stream do not follow that. Segments whose video and audio have PIDs of the first segment do not change,
/// in whatever order their tables list them. In other segments the n-th stream of a codec is the n-th one of
/// the first segment; the tables, and the streams that the first segment lacks, are removed. Used by one
/// task: `begin`, then `append` until the segment's end, then `finish`.
package struct PIDRewriter {
    /// The streams of the first segment that has tables.
    private var first: [ProgramStream] = []
    private var tables = ProgramTables()
    private var pending: [UInt8] = []
    /// Bytes of `pending` in which the tables were looked for.
    private var searchedByteCount = 0
    private var isDecided = false
    /// The new PIDs of the segment's streams; nil if nothing changes.
    private var changes: [UInt16: UInt16]?
    /// Video and audio of the segment that the first one does not have.
    private var unknown: Set<UInt16> = []

    package init() {}

    /// Whether a segment had video or audio of a track that the first segment lacks, which is left out.
    package private(set) var hasLeftOutMedia = false
    /// Whether the PIDs of the segment differ from those of the first one.
    package var isRewriting: Bool { changes != nil }

    package mutating func begin() {
        (tables, searchedByteCount, isDecided) = (ProgramTables(), 0, false)
        pending.removeAll(keepingCapacity: true)
    }

    /// The next bytes; none before the tables of the segment are known.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8] {
        if isDecided, changes == nil { return bytes }
        pending += bytes
        if !isDecided { search() }
        if !isDecided, pending.count > Limits.tableDistanceByteCount { isDecided = true }
        return isDecided ? takeBytes() : []
    }

    /// The rest of the segment.
    package mutating func finish() -> [UInt8] {
        isDecided = true
        return takeBytes()
    }

    /// Looks for the tables, of which segments may lack any: then the PIDs of the segment before are valid.
    private mutating func search() {
        while !isDecided, searchedByteCount + TransportPacket.byteCount <= pending.count {
            let end = searchedByteCount + TransportPacket.byteCount
            let bytes = Array(pending[searchedByteCount..<end])
            searchedByteCount = end
            guard let packet = TransportPacket(reading: bytes.span), tables.wants(packet.pid),
                packet.payloadOffset < bytes.count
            else { continue }
            let payload = bytes.span.extracting(packet.payloadOffset..<bytes.count)
            tables.append(payload, pid: packet.pid, startsUnit: packet.startsUnit)
            if !tables.streams.isEmpty { decide() }
        }
    }

    private mutating func decide() {
        isDecided = true
        if first.isEmpty { first = tables.streams }
        (changes, unknown) = (nil, [])
        let media = tables.streams.filter { $0.kind == .video || $0.kind == .audio }
        if media.allSatisfy({ stream in first.contains { $0.isSameTrack(as: stream) } }) { return }
        var changes: [UInt16: UInt16] = [:]
        var free = first
        for stream in tables.streams {
            if let index = free.firstIndex(where: { $0.kind == stream.kind && $0.codec == stream.codec }) {
                changes[stream.pid] = free.remove(at: index).pid
            } else if stream.kind == .video || stream.kind == .audio {
                unknown.insert(stream.pid)
            }
        }
        self.changes = changes
    }

    private mutating func takeBytes() -> [UInt8] {
        guard let changes else {
            defer { pending = [] }
            return pending
        }
        let count = pending.count - pending.count % TransportPacket.byteCount
        var output: [UInt8] = []
        output.reserveCapacity(count)
        for start in stride(from: 0, to: count, by: TransportPacket.byteCount) {
            take(pending[start..<(start + TransportPacket.byteCount)], changes, &output)
        }
        pending.removeFirst(count)
        return output
    }

    /// Handles one packet; bytes without a sync byte pass unchanged.
    private mutating func take(
        _ packet: ArraySlice<UInt8>, _ changes: [UInt16: UInt16], _ output: inout [UInt8]
    ) {
        let start = packet.startIndex
        let pid = UInt16(packet[start + 1] & 0x1F) << 8 | UInt16(packet[start + 2])
        let isPacket = packet[start] == TransportPacket.syncByte
        let changed = isPacket ? changes[pid] : pid
        if isPacket, unknown.contains(pid), packet[start + 3] & 0x10 != 0 { hasLeftOutMedia = true }
        // Without tables of its own, a segment may have other streams than the one before.
        guard let changed = changed ?? (tables.streams.isEmpty ? pid : nil) else { return }
        output += packet
        output[output.count - TransportPacket.byteCount + 1] =
            packet[start + 1] & 0xE0 | UInt8(changed >> 8)
        output[output.count - TransportPacket.byteCount + 2] = UInt8(changed & 0xFF)
    }
}

extension ProgramStream {
    fileprivate func isSameTrack(as other: ProgramStream) -> Bool {
        pid == other.pid && kind == other.kind && codec == other.codec
    }
}
