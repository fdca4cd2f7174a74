/// Leaves out what is no packet in a segment, so that each packet begins at a multiple of 188 bytes.
///
/// A segment that lacks bytes has packets at other places from there on. Used by one task: `begin`, then
/// `append` until the segment's end, then `finish`.
struct PacketAligner {
    private var pending: [UInt8] = []
    /// Whether the pending bytes begin where a packet has ended.
    private var isAligned = true

    mutating func begin() {
        pending.removeAll(keepingCapacity: true)
        isAligned = true
    }

    /// The next whole packets.
    mutating func append(_ bytes: [UInt8]) -> [UInt8] {
        pending += bytes
        return takePackets(isWhole: false)
    }

    /// The rest of the segment's packets; an incomplete one is left out.
    mutating func finish() -> [UInt8] {
        takePackets(isWhole: true)
    }

    private mutating func takePackets(isWhole: Bool) -> [UInt8] {
        var output: [UInt8] = []
        var start = 0
        while true {
            if !isAligned { start = nextPacket(from: start, isWhole: isWhole) }
            guard isAligned, pending.count - start >= TransportPacket.byteCount else { break }
            let end = endOfPackets(from: start)
            if end == start { isAligned = false }
            output += pending[start..<end]
            start = end
        }
        pending.removeFirst(start)
        return output
    }

    /// The end of the packets that follow each other.
    private func endOfPackets(from start: Int) -> Int {
        var end = start
        while pending.count - end >= TransportPacket.byteCount, pending[end] == TransportPacket.syncByte {
            end += TransportPacket.byteCount
        }
        return end
    }

    /// Where the next packet begins: another one, or the end of the segment, follows it.
    ///
    /// While no packet is found, this is where one may still begin.
    private mutating func nextPacket(from start: Int, isWhole: Bool) -> Int {
        for place in start..<pending.count where pending[place] == TransportPacket.syncByte {
            let next = place + TransportPacket.byteCount
            if next >= pending.count, !isWhole { return place }
            isAligned =
                next < pending.count ? pending[next] == TransportPacket.syncByte : next == pending.count
            if isAligned { return place }
        }
        return pending.count
    }
}
