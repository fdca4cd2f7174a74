/// The header of AAC frames (ISO 13818-7 §6.2).
enum ADTSHeader {
    private static let sampleRates = [
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
    ]

    static func read(_ bytes: ArraySlice<UInt8>) -> AudioFrameHeader? {
        let header = Array(bytes.prefix(7))
        // Twelve sync bits, then layer 0, which distinguishes it from MPEG audio.
        guard header.count == 7, header[0] == 0xFF, header[1] & 0xF6 == 0xF0 else { return nil }
        let rate = Int(header[2] >> 2 & 0x0F)
        let length = Int(header[3] & 3) << 11 | Int(header[4]) << 3 | Int(header[5] >> 5)
        guard rate < sampleRates.count, length >= 7 else { return nil }
        var read = AudioFrameHeader(
            kind: .aac, frameByteCount: length, sampleCount: 1024 * (Int(header[6] & 3) + 1),
            sampleRate: sampleRates[rate], codecString: "mp4a.40.\(Int(header[2] >> 6) + 1)")
        read.audioChannels = audioChannels(Int(header[2] & 1) << 2 | Int(header[3] >> 6))
        return read
    }

    /// Of a channel configuration (ISO 14496-3 table 1.19); 0 says that the stream itself has them.
    private static func audioChannels(_ configuration: Int) -> Int? {
        switch configuration {
        case 1...6: configuration
        case 7: 8
        default: nil
        }
    }
}
