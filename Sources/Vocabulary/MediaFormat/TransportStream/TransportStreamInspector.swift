/// Inspects a clear transport stream: the sync byte of every packet, the tables, the times of every stream.
struct TransportStreamInspector: ContainerInspector {
    private var partial: [UInt8] = []
    private var byteCount = 0
    private var damage: Damage?
    private var tables = ProgramTables()
    private var streams: [ElementaryStream] = []
    /// The index of the stream whose packet was read last.
    private var current: Int?
    private var keyFrames = KeyFrameFinder()

    /// `section` has the tables that its segments may lack.
    init(behind section: InitSection? = nil) {
        guard let section, section.container == .transportStream else { return }
        append(section.opening.span)
        byteCount = 0
        keyFrames = KeyFrameFinder()
        keyFrames.follow(tables.streams, tableByteCount: 0)
    }

    mutating func append(_ bytes: Span<UInt8>) {
        var offset = 0
        if !partial.isEmpty {
            offset = min(TransportPacket.byteCount - partial.count, bytes.count)
            for index in 0..<offset { partial.append(bytes[index]) }
            guard partial.count == TransportPacket.byteCount else { return }
            let packet = partial
            partial.removeAll(keepingCapacity: true)
            read(packet.span)
        }
        while bytes.count - offset >= TransportPacket.byteCount {
            read(bytes.extracting(offset..<(offset + TransportPacket.byteCount)))
            offset = pass(bytes, from: offset + TransportPacket.byteCount)
        }
        for index in offset..<bytes.count { partial.append(bytes[index]) }
    }

    mutating func finish() -> MediaInspection {
        if damage == nil && !partial.isEmpty { damage = .partialPacket(byteCount: partial.count) }
        if damage == nil && streams.isEmpty { damage = .missingMedia }
        let report = ProgramReport(streams: streams, program: tables.streams)
        let leading = report.tracks.leading
        return MediaInspection(
            container: .transportStream, integrity: damage.map(Integrity.damaged) ?? .whole,
            byteCount: byteCount + partial.count, tracks: report.tracks,
            firstTimestamp: leading?.firstTimestamp,
            lastTimestamp: leading?.lastTimestamp, durationMicroseconds: leading?.durationMicroseconds,
            startsWithKeyFrame: report.startsWithKeyFrame,
            keyFrames: keyFrames.keyFrames(since: leading?.firstTimestamp, in: byteCount))
    }

    /// Counts the packets that go on with the last unit, if nothing looks at their bytes; the offset behind
    /// them.
    ///
    /// Most packets are of this kind.
    private mutating func pass(_ bytes: Span<UInt8>, from start: Int) -> Int {
        guard let current, streams[current].isOnlyCounted else { return start }
        let pid = streams[current].pid
        let isSearched = pid == keyFrames.pid
        guard !(isSearched && keyFrames.isSearching), !tables.wants(pid) else { return start }
        var offset = start
        while bytes.count - offset >= TransportPacket.byteCount,
            TransportPacket.isPlain(bytes, at: offset, of: pid)
        {
            offset += TransportPacket.byteCount
        }
        guard offset > start else { return start }
        byteCount += offset - start
        let payload = TransportPacket.byteCount - TransportPacket.headerByteCount
        streams[current].count((offset - start) / TransportPacket.byteCount * payload)
        if isSearched { keyFrames.pass(upTo: byteCount) }
        return offset
    }

    private mutating func read(_ bytes: Span<UInt8>) {
        if bytes[0] != TransportPacket.syncByte && damage == nil {
            damage = .lostSynchronisation(offset: byteCount)
        }
        byteCount += bytes.count
        guard let packet = TransportPacket(reading: bytes), packet.pid != TransportPacket.nullPID,
            !packet.isScrambled,
            packet.payloadOffset < bytes.count
        else { return }
        let payload = bytes.extracting(packet.payloadOffset..<bytes.count)
        if tables.wants(packet.pid) {
            tables.append(payload, pid: packet.pid, startsUnit: packet.startsUnit)
            keyFrames.follow(tables.streams, tableByteCount: byteCount)
        } else {
            readMedia(packet, payload)
        }
    }

    /// Streams are accepted before the program map, which may follow their first packets or be missing.
    private mutating func readMedia(_ packet: TransportPacket, _ payload: Span<UInt8>) {
        let known = streams.firstIndex { $0.pid == packet.pid }
        current = known
        guard packet.startsUnit else {
            if let known { streams[known].continueUnit(payload) }
            if packet.pid == keyFrames.pid { keyFrames.pass(payload, upTo: byteCount) }
            return
        }
        guard let header = PESHeader(reading: payload) else { return }
        if known == nil {
            guard streams.count < Limits.streamCount else { return }
            streams.append(
                ElementaryStream(pid: packet.pid, header: header, isRandomAccess: packet.isRandomAccess))
        }
        streams[known ?? streams.count - 1].beginUnit(
            header, payload: payload, isRandomAccess: packet.isRandomAccess)
        guard packet.pid == keyFrames.pid else { return }
        keyFrames.begin(
            at: byteCount - TransportPacket.byteCount, header,
            payload: payload.extracting(min(header.byteCount, payload.count)..<payload.count),
            isRandomAccess: packet.isRandomAccess)
    }
}
