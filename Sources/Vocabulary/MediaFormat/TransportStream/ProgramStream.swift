/// A stream as the program map announces it.
struct ProgramStream {
    let pid: UInt16
    let kind: Track.Kind
    let codec: String?

    init(pid: UInt16, type: UInt8, descriptors: ByteCursor) {
        self.pid = pid
        let named = Self.byType(type) ?? Self.byDescriptors(descriptors)
        kind = named?.kind ?? .other
        codec = named?.codec
    }

    /// Stream types of ISO 13818-1 table 2-34, of ATSC A/52 and A/53, and of Apple's sample encryption.
    private static func byType(_ type: UInt8) -> (kind: Track.Kind, codec: String)? {
        switch type {
        case 0x01, 0x02: (.video, "mpeg2video")
        case 0x03, 0x04: (.audio, "mp3")
        case 0x0F, 0xCF: (.audio, "aac")
        case 0x10: (.video, "mpeg4")
        case 0x11: (.audio, "aac_latm")
        case 0x15: (.other, "id3")
        case 0x1B, 0xDB: (.video, "h264")
        case 0x24: (.video, "hevc")
        case 0x33: (.video, "vvc")
        case 0x81, 0xC1: (.audio, "ac3")
        case 0x86: (.other, "scte35")
        case 0x87, 0xC2: (.audio, "eac3")
        default: nil
        }
    }

    /// The kind of private data, from the descriptors of DVB (EN 300 468 §6) or a registration (ISO 13818-1
    /// §2.6.8).
    private static func byDescriptors(_ descriptors: ByteCursor) -> (kind: Track.Kind, codec: String)? {
        var rest = descriptors
        while let tag = rest.byte(), let length = rest.byte(), var content = rest.take(Int(length)) {
            switch tag {
            case 0x6A: return (.audio, "ac3")
            case 0x7A: return (.audio, "eac3")
            case 0x56: return (.subtitles, "teletext")
            case 0x59: return (.subtitles, "dvbsub")
            case 0x05:
                if let found = byRegistration(content.uint32()) { return found }
            default: break
            }
        }
        return nil
    }

    private static func byRegistration(_ identifier: UInt32?) -> (kind: Track.Kind, codec: String)? {
        switch identifier {
        case 0x4143_2D33: (.audio, "ac3")  // AC-3
        case 0x4541_4333: (.audio, "eac3")  // EAC3
        case 0x4F70_7573: (.audio, "opus")  // Opus
        case 0x4845_5643: (.video, "hevc")  // HEVC
        case 0x4156_3031: (.video, "av1")  // AV01
        case 0x4375_6549: (.other, "scte35")  // CUEI
        default: nil
        }
    }
}
