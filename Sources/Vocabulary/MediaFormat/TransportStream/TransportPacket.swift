/// The header of a transport stream packet (ISO 13818-1 §2.4.3.2).
package struct TransportPacket {
    static let byteCount = 188
    /// Bytes in front of an adaptation field or payload.
    static let headerByteCount = 4
    static let syncByte: UInt8 = 0x47
    /// The PID of null packets.
    static let nullPID: UInt16 = 0x1FFF
    /// A null packet, which players skip (ISO 13818-1 §2.4.3.3): 188 bytes.
    package static let null: [UInt8] =
        [syncByte, UInt8(nullPID >> 8), UInt8(nullPID & 0xFF), 0x10]
        + [UInt8](repeating: 0xFF, count: byteCount - headerByteCount)

    let pid: UInt16
    /// Whether a section or PES packet begins in the payload.
    let startsUnit: Bool
    let isScrambled: Bool
    /// Whether the adaptation field marks a random access point.
    let isRandomAccess: Bool
    /// The offset of the payload; `byteCount` when there is none.
    let payloadOffset: Int

    /// Reads 188 bytes; nil when they are not a packet or are marked as erroneous.
    init?(reading bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount, bytes[0] == Self.syncByte, bytes[1] & 0x80 == 0 else {
            return nil
        }
        pid = UInt16(bytes[1] & 0x1F) << 8 | UInt16(bytes[2])
        startsUnit = bytes[1] & 0x40 != 0
        isScrambled = bytes[3] & 0xC0 != 0
        let hasAdaptation = bytes[3] & 0x20 != 0
        let hasPayload = bytes[3] & 0x10 != 0
        let adaptationCount = hasAdaptation ? Int(bytes[4]) : 0
        isRandomAccess = adaptationCount > 0 && bytes[5] & 0x40 != 0
        let header = Self.headerByteCount + (hasAdaptation ? 1 + adaptationCount : 0)
        payloadOffset = hasPayload ? min(header, Self.byteCount) : Self.byteCount
    }

    /// Whether a packet of a stream goes on with a unit, and has nothing but clear payload behind its header.
    static func isPlain(_ bytes: Span<UInt8>, at offset: Int, of pid: UInt16) -> Bool {
        bytes[offset] == syncByte && bytes[offset + 1] == UInt8(pid >> 8)
            && bytes[offset + 2] == UInt8(truncatingIfNeeded: pid) && bytes[offset + 3] & 0xF0 == 0x10
    }
}
