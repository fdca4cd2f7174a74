/// The positions of the timestamps of a PES packet in its first transport packet (ISO 13818-1 §2.4.3.6).
struct PESHeaderLayout {
    let pid: UInt16
    /// DTS, or PTS without one.
    let decodeTime: UInt64
    /// PES_packet_length; 0 where it is not said.
    let byteCount: Int
    let streamID: UInt8
    /// Where the bytes of the elementary stream begin; after the packet if the header continues there.
    let content: Int
    /// The number of those bytes; nil if the header does not state it.
    var contentByteCount: Int? { byteCount == 0 ? nil : byteCount + 6 - headerByteCount }
    /// MPEG audio, or private stream 1, which has AC-3.
    var isAudio: Bool { (0xC0...0xDF).contains(streamID) || streamID == 0xBD }
    private let headerByteCount: Int
    private let offset: Int
    private let hasDecodeTime: Bool

    init?(_ bytes: [UInt8], _ start: Int) {
        let control = bytes[start + 3]
        guard bytes[start] == TransportPacket.syncByte, bytes[start + 1] & 0x40 != 0,
            control & 0xD0 == 0x10
        else { return nil }
        let payload = start + 4 + (control & 0x20 == 0 ? 0 : 1 + Int(bytes[start + 4]))
        let end = start + TransportPacket.byteCount
        guard payload + 14 <= end, bytes[payload] == 0, bytes[payload + 1] == 0, bytes[payload + 2] == 1,
            bytes[payload + 6] & 0xC0 == 0x80, bytes[payload + 7] & 0x80 != 0
        else { return nil }
        hasDecodeTime = bytes[payload + 7] & 0x40 != 0 && payload + 19 <= end
        offset = payload + 9
        byteCount = Int(bytes[payload + 4]) << 8 | Int(bytes[payload + 5])
        streamID = bytes[payload + 3]
        headerByteCount = 9 + Int(bytes[payload + 8])
        content = payload + headerByteCount
        pid = UInt16(bytes[start + 1] & 0x1F) << 8 | UInt16(bytes[start + 2])
        decodeTime = Self.time(bytes, payload + (hasDecodeTime ? 14 : 9))
    }

    func move(_ bytes: inout [UInt8], by ticks: UInt64) {
        Self.set(&bytes, offset, Self.time(bytes, offset) &+ ticks)
        if hasDecodeTime { Self.set(&bytes, offset + 5, Self.time(bytes, offset + 5) &+ ticks) }
    }

    /// Five bytes: 3, 15 and 15 bits, each followed by a marker bit (ISO 13818-1 §2.4.3.6).
    private static func time(_ bytes: [UInt8], _ at: Int) -> UInt64 {
        let high = UInt64(bytes[at] & 0x0E) << 29
        let middle = UInt64(bytes[at + 1]) << 22 | UInt64(bytes[at + 2] & 0xFE) << 14
        return high | middle | UInt64(bytes[at + 3]) << 7 | UInt64(bytes[at + 4]) >> 1
    }

    private static func set(_ bytes: inout [UInt8], _ at: Int, _ time: UInt64) {
        bytes[at] = bytes[at] & 0xF1 | UInt8(truncatingIfNeeded: time >> 29) & 0x0E
        bytes[at + 1] = UInt8(truncatingIfNeeded: time >> 22)
        bytes[at + 2] = bytes[at + 2] & 1 | UInt8(truncatingIfNeeded: time >> 14) & 0xFE
        bytes[at + 3] = UInt8(truncatingIfNeeded: time >> 7)
        bytes[at + 4] = bytes[at + 4] & 1 | UInt8(truncatingIfNeeded: time << 1)
    }
}
