/// Recognises containers by their first bytes.
enum ContainerSniffer {
    /// Boxes that a segment may begin with (ISO 14496-12, CMAF); moov for a file with its own.
    private static let firstBoxes: Set<String> = [
        "styp", "moof", "sidx", "emsg", "prft", "ftyp", "free", "skip", "moov", "ssix",
    ]

    /// The container that `bytes` begins with; `bytes` are the first `Limits.sniffByteCount` or, if fewer,
    /// all.
    static func container(of bytes: [UInt8]) -> Container? {
        if isTransportStream(bytes) { return .transportStream }
        if isFragmentedMP4(bytes) { return .fragmentedMP4 }
        if isWebVTT(bytes) { return .webVTT }
        return packedAudio(bytes).map(Container.packedAudio)
    }

    /// 0x47 is also the letter G: a second packet must follow, unless the body is a single packet.
    private static func isTransportStream(_ bytes: [UInt8]) -> Bool {
        let size = TransportPacket.byteCount
        guard bytes.first == TransportPacket.syncByte else { return false }
        if bytes.count <= size { return bytes.contains { $0 < 0x09 || $0 > 0x7E } }
        return stride(from: size, to: bytes.count, by: size).contains {
            bytes[$0] == TransportPacket.syncByte
        }
    }

    private static func isFragmentedMP4(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 8 && firstBoxes.contains(String(decoding: bytes[4..<8], as: UTF8.self))
    }

    /// `WEBVTT` after an optional byte order mark, then a blank, a line end or nothing (WebVTT §4.1).
    private static func isWebVTT(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard text.starts(with: "WEBVTT".utf8) else { return false }
        return text.dropFirst(6).first.map { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? true
    }

    /// A frame header or an ID3 tag.
    ///
    /// The format of the audio after a long tag is known later; HLS mostly has AAC.
    private static func packedAudio(_ bytes: [UInt8]) -> PackedAudioKind? {
        guard bytes.starts(with: "ID3".utf8) else { return AudioFrameHeader(reading: bytes[...])?.kind }
        guard let length = ID3Tag.byteCount(header: bytes[...]) else { return nil }
        let audio = bytes.dropFirst(length)
        return audio.isEmpty ? .aac : AudioFrameHeader(reading: audio)?.kind ?? .aac
    }
}
