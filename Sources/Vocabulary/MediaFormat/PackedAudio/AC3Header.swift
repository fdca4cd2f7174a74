/// The header of AC-3 and Enhanced AC-3 frames (ATSC A/52 §5.3 and annex E).
enum AC3Header {
    private static let sampleRates = [48000, 44100, 32000]
    private static let kilobits = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
    private static let blockCounts = [1, 2, 3, 6]

    static func read(_ bytes: ArraySlice<UInt8>) -> AudioFrameHeader? {
        let header = Array(bytes.prefix(6))
        guard header.count == 6, header[0] == 0x0B, header[1] == 0x77 else { return nil }
        let version = header[5] >> 3
        if version <= 10 { return ac3(header) }
        return version <= 16 ? enhanced(header) : nil
    }

    private static func ac3(_ header: [UInt8]) -> AudioFrameHeader? {
        let (rate, code) = (Int(header[4] >> 6), Int(header[4] & 0x3F))
        guard rate < 3, code / 2 < kilobits.count else { return nil }
        // 1,536 samples at this bit rate, in words of 16 bits; at 44.1 kHz odd codes have one word more.
        let words = kilobits[code / 2] * 96000 / sampleRates[rate] + (rate == 1 ? code & 1 : 0)
        return AudioFrameHeader(
            kind: .ac3, frameByteCount: words * 2, sampleCount: 1536, sampleRate: sampleRates[rate],
            codecString: "ac-3")
    }

    private static func enhanced(_ header: [UInt8]) -> AudioFrameHeader? {
        let length = (Int(header[2] & 7) << 8 | Int(header[3])) * 2 + 2
        let (rate, second) = (Int(header[4] >> 6), Int(header[4] >> 4 & 3))
        guard length >= 6, rate < 3 || second < 3 else { return nil }
        // Rate 3 means half the rate of the second code, and six blocks.
        let sampleRate = rate < 3 ? sampleRates[rate] : sampleRates[second] / 2
        let blocks = rate < 3 ? blockCounts[second] : 6
        let isLeading = header[2] >> 6 != 1 && header[2] >> 3 & 7 == 0
        return AudioFrameHeader(
            kind: .eac3, frameByteCount: length, sampleCount: isLeading ? 256 * blocks : 0,
            sampleRate: sampleRate,
            codecString: "ec-3")
    }
}
