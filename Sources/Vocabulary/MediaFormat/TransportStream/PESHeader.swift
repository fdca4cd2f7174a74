/// The header of a packet of an elementary stream (ISO 13818-1 §2.4.3.6).
struct PESHeader {
    let streamID: UInt8
    /// 33 bits at 90 kHz; nil when the packet has none or the header continues in the next transport packet.
    let presentationTime: UInt64?
    /// Bytes before the elementary stream's own.
    let byteCount: Int

    /// Reads the payload of a packet that starts a unit; nil when it does not begin an audio, video or
    /// private stream.
    init?(reading bytes: Span<UInt8>) {
        guard bytes.count >= 9, bytes[0] == 0, bytes[1] == 0, bytes[2] == 1, bytes[6] & 0xC0 == 0x80 else {
            return nil
        }
        streamID = bytes[3]
        guard streamID == 0xBD || (0xC0...0xEF).contains(streamID) || streamID == 0xFD else { return nil }
        byteCount = 9 + Int(bytes[8])
        let hasTime = bytes[7] & 0x80 != 0 && bytes[8] >= 5 && bytes.count >= 14
        presentationTime = hasTime ? Self.time(bytes.extracting(9..<14)) : nil
    }

    /// Five bytes with a marker bit at the end of the first, third and fifth.
    private static func time(_ bytes: Span<UInt8>) -> UInt64? {
        guard bytes[0] & 0xE1 == 0x21, bytes[2] & 1 == 1, bytes[4] & 1 == 1 else { return nil }
        let high = UInt64(bytes[0] & 0x0E) << 29
        let middle = UInt64(bytes[1]) << 22 | UInt64(bytes[2] & 0xFE) << 14
        return high | middle | UInt64(bytes[3]) << 7 | UInt64(bytes[4]) >> 1
    }
}
