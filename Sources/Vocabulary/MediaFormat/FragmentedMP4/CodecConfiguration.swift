/// Codec strings (RFC 6381) from the configuration boxes of a sample entry.
enum CodecConfiguration {
    /// Nil when the format needs a configuration that is missing or too short.
    static func codecString(_ format: String, _ boxes: ByteCursor) -> String? {
        switch format {
        case "avc1", "avc3": avc(format, boxes)
        case "hvc1", "hev1": hevc(format, boxes)
        case "mp4a": ElementaryDescriptor.codecString(boxes)
        case "av01": av1(boxes)
        case "vp09": vp9(boxes)
        case "Opus": "opus"
        case "fLaC": "flac"
        case "ac-3", "ec-3", "alac", "wvtt", "stpp": format
        default: nil
        }
    }

    /// Profile, constraints and level follow the version (ISO 14496-15 §5.3.3).
    private static func avc(_ format: String, _ boxes: ByteCursor) -> String? {
        guard var content = BoxSequence.first("avcC", in: boxes)?.content, content.skip(1),
            let profile = content.take(3)
        else { return nil }
        return H264Parameters.codecString(Array(profile.rest), entry: format)
    }

    private static func hevc(_ format: String, _ boxes: ByteCursor) -> String? {
        guard var content = BoxSequence.first("hvcC", in: boxes)?.content, content.skip(1),
            let general = content.take(12)
        else { return nil }
        return HEVCParameters.codecString(Array(general.rest), entry: format)
    }

    /// `av01.P.LLT.DD` (AV1 in ISOBMFF §5).
    private static func av1(_ boxes: ByteCursor) -> String? {
        guard var content = BoxSequence.first("av1C", in: boxes)?.content, content.skip(1),
            let second = content.byte(),
            let third = content.byte()
        else { return nil }
        let depth = third & 0x40 == 0 ? 8 : third & 0x20 == 0 ? 10 : 12
        return
            "av01.\(second >> 5).\(twoDigits(second & 0x1F))\(third & 0x80 == 0 ? "M" : "H").\(twoDigits(UInt8(depth)))"
    }

    /// `vp09.PP.LL.DD` (VP codec ISO media file format binding).
    private static func vp9(_ boxes: ByteCursor) -> String? {
        guard var content = BoxSequence.first("vpcC", in: boxes)?.content, content.skip(4),
            let profile = content.byte(),
            let level = content.byte(), let depth = content.byte()
        else { return nil }
        return "vp09.\(twoDigits(profile)).\(twoDigits(level)).\(twoDigits(depth >> 4))"
    }

    private static func twoDigits(_ value: UInt8) -> String {
        (value < 10 ? "0" : "") + String(value)
    }
}
