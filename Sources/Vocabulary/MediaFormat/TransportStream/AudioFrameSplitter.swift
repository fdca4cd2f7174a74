/// Makes a unit of each audio frame of a transport stream, so that audio can be cut to a frame.
///
/// Encoders have up to a second of audio in one unit. A unit passes as it is unless it consists of whole
/// frames of one known format. The counters of its packets go on from 0 in each segment; clock references in
/// packets of audio are lost. Used by one task: `begin`, then `append` until the segment's end, then
/// `finish`.
struct AudioFrameSplitter {
    /// A unit that is not whole yet.
    private struct Unit {
        var place: PESHeaderLayout
        var packets: [UInt8]
        /// Its bytes of the elementary stream.
        var content: [UInt8]
    }

    private var pending: [UInt8] = []
    private var units: [UInt16: Unit] = [:]
    /// Of the next packet, for each PID that has audio.
    private var counters: [UInt16: UInt8] = [:]

    mutating func begin() {
        pending.removeAll(keepingCapacity: true)
        units.removeAll(keepingCapacity: true)
        counters.removeAll(keepingCapacity: true)
    }

    /// The packets of what is whole.
    mutating func append(_ bytes: [UInt8]) -> [UInt8] {
        pending += bytes
        var output: [UInt8] = []
        let count = pending.count - pending.count % TransportPacket.byteCount
        for start in stride(from: 0, to: count, by: TransportPacket.byteCount) {
            take(Array(pending[start..<(start + TransportPacket.byteCount)]), &output)
        }
        pending.removeFirst(count)
        return output
    }

    /// The packets of what is left of a segment.
    mutating func finish() -> [UInt8] {
        var output: [UInt8] = []
        for pid in units.keys.sorted() { flush(pid, &output) }
        return output
    }

    private mutating func take(_ packet: [UInt8], _ output: inout [UInt8]) {
        let pid = UInt16(packet[1] & 0x1F) << 8 | UInt16(packet[2])
        guard packet[0] == TransportPacket.syncByte, packet[3] & 0x10 != 0 else {
            output += packet
            return
        }
        // A packet may be sent twice (ISO 13818-1 §2.4.3.3).
        if units[pid]?.packets.suffix(TransportPacket.byteCount).elementsEqual(packet) == true { return }
        let startsUnit = packet[1] & 0x40 != 0
        if startsUnit { flush(pid, &output) }
        if startsUnit, let place = PESHeaderLayout(packet, 0), place.isAudio,
            counters[pid] != nil || counters.count < Limits.streamCount
        {
            counters[pid] = counters[pid] ?? 0
            units[pid] = Unit(place: place, packets: packet, content: Array(packet.dropFirst(place.content)))
        } else if units[pid] != nil {
            let field = packet[3] & 0x20 == 0 ? 0 : 1 + Int(packet[4])
            units[pid]?.packets += packet
            units[pid]?.content += packet.dropFirst(TransportPacket.headerByteCount + field)
            if units[pid]?.packets.count ?? 0 > Limits.audioUnitByteCount { pass(pid, &output) }
        } else {
            write(packet, pid, &output)
        }
    }
}

/// What is written.
extension AudioFrameSplitter {
    /// Writes the frames of the unit of a PID, which is whole.
    private mutating func flush(_ pid: UInt16, _ output: inout [UInt8]) {
        guard let unit = units[pid], var counter = counters[pid] else { return }
        guard let frames = Self.frames(of: unit) else { return pass(pid, &output) }
        for frame in frames {
            AudioPacketWriter.write(
                unit.content[frame.bytes], at: frame.time, pid: pid, streamID: unit.place.streamID, &counter,
                to: &output)
        }
        counters[pid] = counter
        units[pid] = nil
    }

    /// Writes a unit as it is.
    private mutating func pass(_ pid: UInt16, _ output: inout [UInt8]) {
        guard let packets = units.removeValue(forKey: pid)?.packets else { return }
        for start in stride(from: 0, to: packets.count, by: TransportPacket.byteCount) {
            write(Array(packets[start..<(start + TransportPacket.byteCount)]), pid, &output)
        }
    }

    private mutating func write(_ packet: [UInt8], _ pid: UInt16, _ output: inout [UInt8]) {
        output += packet
        guard let counter = counters[pid] else { return }
        output[output.count - TransportPacket.byteCount + 3] = packet[3] & 0xF0 | counter
        counters[pid] = (counter + 1) & 0x0F
    }

    /// The frames that a unit consists of, with their times; nil where it has anything else.
    private static func frames(of unit: Unit) -> [(bytes: Range<Int>, time: UInt64)]? {
        let count = unit.place.contentByteCount ?? unit.content.count
        guard count > 0, count <= unit.content.count else { return nil }
        var frames: [(bytes: Range<Int>, time: UInt64)] = []
        var (start, ticks) = (0, 0.0)
        var kind: PackedAudioKind?
        while start < count {
            guard let header = AudioFrameHeader(reading: unit.content[start..<count]),
                kind == nil || kind == header.kind, let length = header.frameByteCount,
                length <= count - start
            else { return nil }
            kind = header.kind
            if header.sampleCount == 0, let last = frames.indices.last {
                // It extends the one before.
                frames[last].bytes = frames[last].bytes.lowerBound..<(start + length)
            } else {
                let time = (unit.place.decodeTime &+ UInt64(ticks)) & PresentationTime.mask
                frames.append((start..<(start + length), time))
            }
            ticks += Double(header.sampleCount * Int(PresentationTime.timescale)) / Double(header.sampleRate)
            start += length
        }
        return frames
    }
}
