/// Frames of packed audio and ID3 tags, built by hand.
enum AudioFrames {
    /// AAC-LC at 48 kHz, one block.
    static func aac(byteCount: Int) -> [UInt8] {
        let length = UInt16(byteCount)
        let header: [UInt8] = [
            0xFF, 0xF1, 0x4C, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 0xFF),
            UInt8(length & 7) << 5 | 0x1F, 0xFC,
        ]
        return header + Array(repeating: 0x21, count: byteCount - 7)
    }

    /// Layer III at 44.1 kHz and 128 kbit/s: 417 bytes.
    static let mp3: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + Array(repeating: 0x11, count: 413)
    /// Layer II at 48 kHz and 192 kbit/s: 576 bytes.
    static let mp2: [UInt8] = [0xFF, 0xFD, 0xA4, 0x00] + Array(repeating: 0x11, count: 572)
    /// AC-3 at 48 kHz and 192 kbit/s: 768 bytes.
    static let ac3: [UInt8] = [0x0B, 0x77, 0, 0, 0x14, 0x40] + Array(repeating: 0x11, count: 762)
    /// Enhanced AC-3 at 48 kHz, six blocks: 256 bytes.
    static let eac3: [UInt8] = [0x0B, 0x77, 0, 0x7F, 0x3F, 0x80] + Array(repeating: 0x11, count: 250)

    /// A tag of version 2.4 with a private frame of this time.
    static func tag(time: UInt64, owner: String = "com.apple.streaming.transportStreamTimestamp") -> [UInt8] {
        let content = Array(owner.utf8) + [0] + (0..<8).map { UInt8(time >> (56 - 8 * $0) & 0xFF) }
        let frame = Array("PRIV".utf8) + syncSafe(content.count) + [0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0] + syncSafe(frame.count) + frame
    }

    static func syncSafe(_ value: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
    }
}
