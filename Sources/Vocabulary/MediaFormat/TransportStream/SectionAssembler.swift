/// Assembles one table section from packets (ISO 13818-1 §2.4.4) and returns it when its checksum is right.
struct SectionAssembler {
    private var bytes: [UInt8] = []
    private var isCollecting = false

    /// Appends a payload of the table's PID; returns the complete section, without its checksum.
    mutating func append(_ payload: Span<UInt8>, startsUnit: Bool) -> ByteCursor? {
        var start = 0
        if startsUnit {
            // The pointer field gives the number of bytes of an earlier section that come first.
            guard payload.count > 0 else { return nil }
            start = 1 + Int(payload[0])
            bytes.removeAll(keepingCapacity: true)
            isCollecting = true
        }
        guard isCollecting, start <= payload.count else { return nil }
        let end = min(payload.count, start + Limits.sectionByteCount - bytes.count)
        for index in start..<end { bytes.append(payload[index]) }
        return completed()
    }

    private mutating func completed() -> ByteCursor? {
        guard bytes.count >= 3 else { return nil }
        let length = 3 + (Int(bytes[1] & 0x0F) << 8 | Int(bytes[2]))
        guard length >= 12, length <= Limits.sectionByteCount else {
            isCollecting = false
            return nil
        }
        guard bytes.count >= length else { return nil }
        isCollecting = false
        return SectionChecksum.value(of: bytes[..<length]) == 0 ? ByteCursor(bytes[..<(length - 4)]) : nil
    }
}

/// The CRC of sections (ISO 13818-1 annex A); 0 over a section including its checksum.
enum SectionChecksum {
    static func value(of bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte) << 24) { value, _ in
                value << 1 ^ (value & 0x8000_0000 == 0 ? 0 : 0x04C1_1DB7)
            }
        }
    }
}
