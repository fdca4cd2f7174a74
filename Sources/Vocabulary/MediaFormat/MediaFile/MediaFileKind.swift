/// What a media file is, as its first bytes say.
package enum MediaFileKind: Equatable, Sendable {
    /// MP4, QuickTime and their relatives (ISO 14496-12).
    case boxes
    /// Packets of 188 bytes, the first of which is the beginning of the file.
    case transportStream
    /// Matroska or WebM (RFC 8794, RFC 9559).
    case matroska
    /// Another kind that players know; nothing in it says where it ends.
    case other

    /// Nil if no kind of media begins with these bytes; `bytes` are the first few thousand of the file.
    package init?(recognising bytes: [UInt8]) {
        if Self.isBoxes(bytes) {
            self = .boxes
        } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .matroska
        } else if Self.hasPackets(bytes, at: 0, every: TransportPacket.byteCount) {
            self = .transportStream
        } else if Self.isOther(bytes) {
            self = .other
        } else {
            return nil
        }
    }

    /// Why bytes are not the beginning of a media file; nil when they are.
    package static func refusal(of bytes: [UInt8]) -> MediaFormatError? {
        if bytes.isEmpty { return .empty }
        guard MediaFileKind(recognising: bytes) == nil else { return nil }
        let kind = DetectedContent(Array(bytes.prefix(Limits.sniffByteCount)))
        return .unrecognised(kind, excerpt: Array(bytes.prefix(Limits.excerptByteCount)))
    }

    private static let firstBoxes: Set<String> = [
        "ftyp", "styp", "moov", "moof", "mdat", "sidx", "ssix", "emsg", "prft", "free", "skip", "wide",
        "pnot",
        "uuid",
    ]

    private static func isBoxes(_ bytes: [UInt8]) -> Bool {
        guard let header = BoxHeader(reading: bytes.prefix(16)) else { return false }
        return firstBoxes.contains(header.type)
    }

    /// Whether three packets follow each other, or fewer up to the end.
    private static func hasPackets(_ bytes: [UInt8], at offset: Int, every size: Int) -> Bool {
        let starts = [offset, offset + size, offset + 2 * size].filter { $0 < bytes.count }
        return starts.count > 1 && starts.allSatisfy { bytes[$0] == TransportPacket.syncByte }
    }

    private static func isOther(_ bytes: [UInt8]) -> Bool {
        marks.contains { bytes.starts(with: $0) }
            || ContainerSniffer.container(of: Array(bytes.prefix(Limits.sniffByteCount))) != nil
            || hasPacketsSomewhere(bytes) || hasFrames(bytes)
    }

    /// The first bytes of formats that nothing else here recognises.
    private static let marks: [[UInt8]] =
        [
            "RIFF", "RF64", "OggS", "fLaC", "FLV", "FORM", "caff", "wvpk", "MAC ", "TTA1", "DSD ", ".RMF",
            "#!AMR",
        ]
        .map { Array($0.utf8) } + [
            // ASF, and MXF.
            [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], [0x06, 0x0E, 0x2B, 0x34],
            // Start codes of program streams and of elementary video.
            [0, 0, 1], [0, 0, 0, 1],
            // DTS, and AAC in LOAS.
            [0x7F, 0xFE, 0x80, 0x01], [0x56, 0xE0],
        ]

    /// A transport stream that begins within a packet, or whose packets have 192 or 204 bytes.
    private static func hasPacketsSomewhere(_ bytes: [UInt8]) -> Bool {
        [TransportPacket.byteCount, 192, 204].contains { size in
            (0..<size).contains { $0 + 2 * size < bytes.count && hasPackets(bytes, at: $0, every: size) }
        }
    }

    /// Packed audio that begins within a frame, or behind stuffing: two frames follow each other.
    private static func hasFrames(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { start in
            guard bytes[start] == 0xFF || bytes[start] == 0x0B,
                let first = AudioFrameHeader(reading: bytes[start...]), let length = first.frameByteCount,
                start + length < bytes.count
            else { return false }
            return AudioFrameHeader(reading: bytes[(start + length)...])?.kind == first.kind
        }
    }
}
