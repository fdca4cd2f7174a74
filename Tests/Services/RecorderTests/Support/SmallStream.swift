/// A transport stream of pictures, a packet each, without tables.
enum SmallStream {
    /// Pictures in frames of a twenty-fifth of a second from a time on, in units of 90 kHz.
    static func pictures(_ count: Int, from begin: UInt64 = 0) -> [UInt8] {
        (0..<UInt64(count)).flatMap { packet(at: begin + $0 * 3600) }
    }

    /// A packet that begins a unit of video (ISO 13818-1 §2.4.3.6).
    private static func packet(at time: UInt64) -> [UInt8] {
        let stamp: [UInt8] = [
            0x21 | UInt8(time >> 29 & 0x0E), UInt8(time >> 22 & 0xFF), UInt8(time >> 14 & 0xFE) | 1,
            UInt8(time >> 7 & 0xFF), UInt8(time << 1 & 0xFE) | 1,
        ]
        let unit = [0, 0, 1, 0xE0, 0, 0, 0x80, 0x80, 5] + stamp
        return [0x47, 0x41, 0x00, 0x10] + unit + [UInt8](repeating: 0xAA, count: 184 - unit.count)
    }
}
