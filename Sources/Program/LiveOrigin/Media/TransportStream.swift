/// The fields of an MPEG transport stream that a repetition has to change (ISO/IEC 13818-1 §2.4.3).
enum TransportStream {
    static let packetLength = 188
    private static let nullPID: UInt16 = 0x1FFF
    /// Timestamps count 90 kHz in 33 bits.
    static let timestampMask: UInt64 = (1 << 33) - 1

    /// The position of one packet and its header.
    struct Packet {
        let offset: Int
        let pid: UInt16
        let startsUnit: Bool
        let hasAdaptation: Bool
        let hasPayload: Bool

        init(_ bytes: [UInt8], at offset: Int) {
            self.offset = offset
            pid = UInt16(bytes[offset + 1] & 0x1F) << 8 | UInt16(bytes[offset + 2])
            startsUnit = bytes[offset + 1] & 0x40 != 0
            hasAdaptation = bytes[offset + 3] & 0x20 != 0
            hasPayload = bytes[offset + 3] & 0x10 != 0
        }

        /// The first byte after header and adaptation field; the packet's end when the field fills it.
        func payloadOffset(_ bytes: [UInt8]) -> Int {
            guard hasAdaptation else { return offset + 4 }
            return min(offset + 5 + Int(bytes[offset + 4]), offset + packetLength)
        }
    }

    /// Offsets of whole packets, except null packets.
    static func packets(of bytes: [UInt8]) -> [Packet] {
        stride(from: 0, to: bytes.count - bytes.count % packetLength, by: packetLength)
            .map { Packet(bytes, at: $0) }
            .filter { $0.pid != nullPID }
    }

    /// Packets with payload per PID, by which the continuity counters advance.
    static func payloadPacketCounts(of bytes: [UInt8]) -> [UInt16: Int] {
        packets(of: bytes).reduce(into: [:]) { counts, packet in
            if packet.hasPayload { counts[packet.pid, default: 0] += 1 }
        }
    }

    /// A null packet that contains a text, which is cut at the packet's end.
    static func nullPacket(_ text: String) -> [UInt8] {
        let payload = Array(text.utf8.prefix(packetLength - 4))
        return [0x47, 0x1F, 0xFF, 0x10] + payload
            + [UInt8](repeating: 0xFF, count: packetLength - 4 - payload.count)
    }
}
