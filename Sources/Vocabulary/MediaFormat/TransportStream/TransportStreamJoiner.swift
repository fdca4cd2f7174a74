/// Joins segments of a transport stream into one stream with continuous timestamps.
///
/// Where the source's clock jumps or media is missing, what follows is moved. Tracks keep the PIDs of the
/// first segment. Lengths do not change, except for bytes of a segment that are no whole packet
/// (`PacketAligner`), of segments with other PIDs (`PIDRewriter`), and of segments that are cut. Times wrap
/// after 26 hours. Used by one task: `begin`, then `append` until the segment's end, then `finish`.
package struct TransportStreamJoiner {
    /// The times of a stream as they are written, in ticks of 90 kHz.
    private struct Stream {
        var last: Int64
        /// Bytes of the last unit, where it says how many it has.
        var byteCount: Int
        /// How long the last unit plays.
        var length: Int64 = 0
        /// What is added to that because it is an estimate.
        var margin: Int64 = 0
        var end: Int64 { last + length }
        /// A unit that begins here or later is kept: it overlaps the last one by less than a frame, and by
        /// less than would be missing without it.
        var earliest: Int64 { end - margin - min(Self.frame, length / 2) }

        /// Begins a unit.
        ///
        /// Several audio frames share one, and the last of a segment may have fewer of them.
        mutating func note(_ time: Int64, byteCount: Int) {
            let step = time - last
            if (1...90_000).contains(step) {
                let isLike = byteCount == self.byteCount || byteCount == 0 || self.byteCount == 0
                margin = isLike ? 0 : Self.frame
                length = isLike ? step : step * Int64(byteCount) / Int64(self.byteCount) + margin
            }
            self.byteCount = byteCount
            last = max(last, time)
        }

        /// A frame of AAC at 44.1 kHz: what the estimate may be too short by.
        private static let frame: Int64 = 2_090
    }

    /// The first written time: a clock reference may be some seconds before it.
    private static let first: Int64 = 10 * 90_000
    /// Jitter is below half a second: a difference of more is a discontinuity.
    private static let tolerance: Int64 = 45_000
    private static let unset: UInt8 = 0xFF

    private var streams: [UInt16: Stream] = [:]
    private var offset: UInt64 = 0
    /// By PID: the last written continuity counter, and what is added to those of this segment.
    private var counters = [UInt8](repeating: unset, count: 8192)
    private var counterShifts = [UInt8](repeating: unset, count: 8192)
    private var packets = PacketAligner()
    private var pids = PIDRewriter()
    private var pending: [UInt8] = []
    /// Bytes of `pending` in which first units were looked for, and the known streams whose first unit was
    /// met.
    private var searchedByteCount = 0
    private var met: Set<UInt16> = []
    private var isPlaced = false
    private var jumps = false
    /// The written times that are kept; nil for all.
    private var keeping: Range<Int64>?
    /// Of a segment that is cut: its audio frames, each in a unit of its own.
    private var divider = AudioFrameSplitter()
    /// The streams whose current unit is left out.
    private var dropped: Set<UInt16> = []
    /// Whether the next unit may begin before the last one of the segment before has ended.
    private var mayOverlap = false

    package init() {}

    /// The written time at which the first segment begins, in ticks of 90 kHz.
    package static var begin: Int64 { first }

    /// Begins a segment; `jumps` says that its times do not go on from the one before.
    package mutating func begin(jumps: Bool) {
        for pid in counterShifts.indices { counterShifts[pid] = Self.unset }
        packets.begin()
        pids.begin()
        pending.removeAll(keepingCapacity: true)
        (searchedByteCount, met, isPlaced) = (0, [], false)
        self.jumps = jumps || streams.isEmpty
    }

    /// Begins a segment whose times are moved by `ticks` of 90 kHz.
    ///
    /// With a range, only its audio frames, and units of other streams, that begin in this range of the
    /// written times are kept. If `ticks` differ from those before, frames and units of which half lies
    /// before the end of the last one are left out too.
    package mutating func begin(movedBy ticks: Int64, keeping range: Range<Int64>? = nil) {
        begin(jumps: false)
        let before = offset
        offset = UInt64(bitPattern: ticks) & PresentationTime.mask
        mayOverlap = mayOverlap || !streams.isEmpty && offset != before
        (isPlaced, keeping, dropped) = (true, range, [])
        divider.begin()
    }

    /// Whether a segment had video or audio of a track that the first segment lacks, which is left out.
    package var hasLeftOutMedia: Bool { pids.hasLeftOutMedia }

    /// Whether a unit of one of these streams was written.
    package func hasUnits(of pids: Set<UInt16>) -> Bool { pids.contains { streams[$0] != nil } }

    /// The first time of the first segment as it was received, 33 bits, and the ticks from there to the end.
    ///
    /// Nil while no unit was met.
    package var span: (first: UInt64, length: Int64)? {
        guard let end = streams.values.map(\.end).max() else { return nil }
        return (UInt64(bitPattern: Self.first) &- offset & PresentationTime.mask, end - Self.first)
    }

    /// The next bytes of the joined stream; none while the place of the segment is not known.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8] {
        take(pids.append(packets.append(bytes)))
        if !isPlaced { place(isWhole: false) }
        return isPlaced ? takePackets() : []
    }

    /// The rest of the segment.
    package mutating func finish() -> [UInt8] {
        take(pids.append(packets.finish()) + pids.finish())
        if keeping != nil { pending += divider.finish() }
        if !isPlaced { place(isWhole: true) }
        return takePackets()
    }

    private mutating func take(_ bytes: [UInt8]) {
        pending += keeping == nil ? bytes : divider.append(bytes)
    }

    private mutating func takePackets() -> [UInt8] {
        let count = pending.count - pending.count % TransportPacket.byteCount
        var packets = Array(pending.prefix(count))
        pending.removeFirst(count)
        var end = 0
        for start in stride(from: 0, to: count, by: TransportPacket.byteCount) where isKept(packets, start) {
            if end < start {
                for index in 0..<TransportPacket.byteCount { packets[end + index] = packets[start + index] }
            }
            rewrite(&packets, end)
            end += TransportPacket.byteCount
        }
        packets.removeLast(count - end)
        return packets
    }
}

/// Where a segment begins in the joined stream.
extension TransportStreamJoiner {
    private mutating func place(isWhole: Bool) {
        let isEnough = isWhole || pending.count >= Limits.placingByteCount
        isPlaced = !jumps && goesOn()
        guard !isPlaced, isEnough else { return }
        // Without a unit of a known stream there is nothing that jumps.
        if jumps || !met.isEmpty { move() }
        isPlaced = true
    }

    /// Whether the first unit of a stream that is known from before begins where the last one has ended, as
    /// far as units were met.
    ///
    /// One stream is enough: others may have a unit now and then, such as metadata or still pictures, whose
    /// end nothing says.
    private mutating func goesOn() -> Bool {
        for start in packetStarts(from: searchedByteCount) {
            searchedByteCount = start + TransportPacket.byteCount
            guard let unit = PESHeaderLayout(pending, start), let stream = streams[unit.pid],
                met.insert(unit.pid).inserted
            else { continue }
            let time = (unit.decodeTime &+ offset) & PresentationTime.mask
            let distance = PresentationTime.difference(time, UInt64(bitPattern: stream.end))
            if distance.magnitude <= UInt64(Self.tolerance) { return true }
        }
        return false
    }

    /// Moves the segment so that every stream goes on at its end, or later.
    private mutating func move() {
        var firsts: [UInt16: Int64] = [:]
        var reference: UInt64?
        for start in packetStarts(from: 0) {
            guard let unit = PESHeaderLayout(pending, start), firsts[unit.pid] == nil else { continue }
            let origin = reference ?? unit.decodeTime
            reference = origin
            firsts[unit.pid] = PresentationTime.difference(unit.decodeTime, origin)
        }
        guard let reference, let earliest = firsts.values.min() else { return }
        let ends = firsts.compactMap { pid, first in streams[pid].map { $0.end - first } }
        let end = streams.values.map(\.end).max().map { $0 - earliest }
        let place = ends.max() ?? end ?? (Self.first - earliest)
        offset = UInt64(bitPattern: place &- Int64(reference)) & PresentationTime.mask
    }

    private func packetStarts(from first: Int) -> StrideTo<Int> {
        stride(
            from: first, to: pending.count - pending.count % TransportPacket.byteCount,
            by: TransportPacket.byteCount)
    }
}

/// One packet.
extension TransportStreamJoiner {
    /// Whether a packet belongs to a unit that is kept.
    private mutating func isKept(_ bytes: [UInt8], _ start: Int) -> Bool {
        guard let keeping else { return true }
        let pid = UInt16(bytes[start + 1] & 0x1F) << 8 | UInt16(bytes[start + 2])
        guard let unit = PESHeaderLayout(bytes, start) else { return !dropped.contains(pid) }
        let time = Int64((unit.decodeTime &+ offset) & PresentationTime.mask)
        let isLate = !mayOverlap || time >= streams[pid]?.earliest ?? 0
        guard keeping.contains(time), isLate else {
            dropped.insert(pid)
            counterShifts[Int(pid)] = Self.unset
            return false
        }
        if unit.isAudio { mayOverlap = false }
        dropped.remove(pid)
        return true
    }

    private mutating func rewrite(_ bytes: inout [UInt8], _ start: Int) {
        guard bytes[start] == TransportPacket.syncByte else { return }
        let pid = UInt16(bytes[start + 1] & 0x1F) << 8 | UInt16(bytes[start + 2])
        let control = bytes[start + 3]
        if control & 0x10 != 0 && pid != TransportPacket.nullPID { count(&bytes[start + 3], Int(pid)) }
        // PCR: flags, then 33 bits (ISO 13818-1 §2.4.3.4).
        if control & 0x20 != 0 && bytes[start + 4] >= 7 && bytes[start + 5] & 0x10 != 0 {
            var base: UInt64 = 0
            for index in 0..<4 { base = base << 8 | UInt64(bytes[start + 6 + index]) }
            base = (base << 1 | UInt64(bytes[start + 10] >> 7)) &+ offset & PresentationTime.mask
            for index in 0..<4 {
                bytes[start + 6 + index] = UInt8(truncatingIfNeeded: base >> UInt64(25 - 8 * index))
            }
            bytes[start + 10] = bytes[start + 10] & 0x7F | UInt8(base & 1) << 7
        }
        guard let unit = PESHeaderLayout(bytes, start) else { return }
        unit.move(&bytes, by: offset)
        note(
            unit.pid, Int64((unit.decodeTime &+ offset) & PresentationTime.mask),
            byteCount: unit.isAudio ? unit.byteCount : 0)
    }

    /// Makes the continuity counter of a PID continue from the previous segment.
    private mutating func count(_ byte: inout UInt8, _ pid: Int) {
        if counterShifts[pid] == Self.unset {
            let last = counters[pid]
            counterShifts[pid] = last == Self.unset ? 0 : (last &+ 1 &- byte) & 0x0F
        }
        let counter = (byte &+ counterShifts[pid]) & 0x0F
        byte = byte & 0xF0 | counter
        counters[pid] = counter
    }

    private mutating func note(_ pid: UInt16, _ time: Int64, byteCount: Int) {
        if streams[pid] == nil {
            guard streams.count < Limits.streamCount else { return }
            streams[pid] = Stream(last: time, byteCount: byteCount)
        } else {
            streams[pid]?.note(time, byteCount: byteCount)
        }
    }
}
