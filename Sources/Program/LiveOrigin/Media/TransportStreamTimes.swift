/// Reading and moving the timestamps of a transport stream.
extension TransportStream {
    /// Moves every PTS, DTS and PCR by `ticks` of 90 kHz and every continuity counter by its PID's steps.
    static func shift(_ bytes: inout [UInt8], ticks: UInt64, counters: [UInt16: UInt8]) {
        for packet in packets(of: bytes) {
            if packet.hasPayload, let step = counters[packet.pid] {
                let header = bytes[packet.offset + 3]
                bytes[packet.offset + 3] = header & 0xF0 | (header &+ step) & 0x0F
            }
            shiftClock(&bytes, packet, ticks)
            for offset in timestampOffsets(bytes, packet) {
                write(timestamp(bytes, at: offset) &+ ticks, to: &bytes, at: offset)
            }
        }
    }

    /// The first PTS, in 90 kHz; nil when there is none.
    static func firstTimestamp(of bytes: [UInt8]) -> UInt64? {
        for packet in packets(of: bytes) {
            if let offset = timestampOffsets(bytes, packet).first { return timestamp(bytes, at: offset) }
        }
        return nil
    }

    /// The program clock reference: 33 bits of 90 kHz, 6 reserved, 9 of 27 MHz, which do not change
    /// (§2.4.3.5).
    private static func shiftClock(_ bytes: inout [UInt8], _ packet: Packet, _ ticks: UInt64) {
        let start = packet.offset + 6
        guard packet.hasAdaptation, bytes[packet.offset + 4] >= 7, bytes[packet.offset + 5] & 0x10 != 0 else {
            return
        }
        let high = bytes[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let clock = ((high << 1 | UInt64(bytes[start + 4] >> 7)) &+ ticks) & timestampMask
        for index in 0..<4 {
            bytes[start + index] = UInt8(truncatingIfNeeded: clock >> (25 - 8 * UInt64(index)))
        }
        bytes[start + 4] = bytes[start + 4] & 0x7F | UInt8(clock & 1) << 7
    }

    /// The positions of PTS and DTS in the PES header that begins in this packet (§2.4.3.7).
    private static func timestampOffsets(_ bytes: [UInt8], _ packet: Packet) -> [Int] {
        guard packet.startsUnit, packet.hasPayload else { return [] }
        let start = packet.payloadOffset(bytes)
        guard start + 19 <= packet.offset + packetLength, isMedia(bytes, at: start) else { return [] }
        switch bytes[start + 7] >> 6 {
        case 0b10: return [start + 9]
        case 0b11: return [start + 9, start + 14]
        default: return []
        }
    }

    /// Whether the packet begins an audio, video or private stream, which have the optional header.
    private static func isMedia(_ bytes: [UInt8], at start: Int) -> Bool {
        guard bytes[start] == 0, bytes[start + 1] == 0, bytes[start + 2] == 1 else { return false }
        return (0xC0...0xEF).contains(bytes[start + 3]) || bytes[start + 3] == 0xBD
    }

    /// 33 bits with marker bits between them: 3, 15 and 15.
    private static func timestamp(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        UInt64(bytes[offset] & 0x0E) << 29 | UInt64(bytes[offset + 1]) << 22
            | UInt64(bytes[offset + 2] & 0xFE) << 14 | UInt64(bytes[offset + 3]) << 7
            | UInt64(bytes[offset + 4]) >> 1
    }

    private static func write(_ timestamp: UInt64, to bytes: inout [UInt8], at offset: Int) {
        bytes[offset] = bytes[offset] & 0xF1 | UInt8(truncatingIfNeeded: timestamp >> 29) & 0x0E
        bytes[offset + 1] = UInt8(truncatingIfNeeded: timestamp >> 22)
        bytes[offset + 2] = UInt8(truncatingIfNeeded: timestamp >> 14) & 0xFE | 1
        bytes[offset + 3] = UInt8(truncatingIfNeeded: timestamp >> 7)
        bytes[offset + 4] = UInt8(truncatingIfNeeded: timestamp << 1) | 1
    }
}
