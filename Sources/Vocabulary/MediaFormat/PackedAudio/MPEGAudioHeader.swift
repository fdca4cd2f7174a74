/// The header of MPEG audio frames of layers II and III (ISO 11172-3 §2.4.1.3, ISO 13818-3).
enum MPEGAudioHeader {
    /// Kilobits per second by index, for the version of 1993 and for the lower sample rates of 1995.
    private static let layer2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    private static let layer3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lower = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    private static let sampleRates = [44100, 48000, 32000]

    static func read(_ bytes: ArraySlice<UInt8>) -> AudioFrameHeader? {
        let header = Array(bytes.prefix(4))
        guard header.count == 4, header[0] == 0xFF, header[1] & 0xE0 == 0xE0 else { return nil }
        let (version, layer) = (header[1] >> 3 & 3, header[1] >> 1 & 3)
        let (bitRate, rate) = (Int(header[2] >> 4), Int(header[2] >> 2 & 3))
        // Version 1 and layer 0 are reserved. Layer I (3) is refused: its sync looks like UTF-16's byte order
        // mark.
        guard version != 1, layer == 1 || layer == 2, bitRate < 15, rate < 3 else { return nil }
        let isFirst = version == 3
        let sampleRate = sampleRates[rate] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        let samples = layer == 1 && !isFirst ? 576 : 1152
        let kilobits = (isFirst ? (layer == 1 ? layer3 : layer2) : lower)[bitRate]
        let length = samples / 8 * kilobits * 1000 / sampleRate + Int(header[2] >> 1 & 1)
        return AudioFrameHeader(
            kind: .mp3, frameByteCount: bitRate == 0 ? nil : length, sampleCount: samples,
            sampleRate: sampleRate,
            codecString: layer == 1 ? "mp4a.40.34" : "mp4a.40.33")
    }
}
