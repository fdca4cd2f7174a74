/// A sample entry (ISO 14496-12 §8.5.2): the codec and its configuration.
struct SampleEntry {
    private(set) var kind: Track.Kind?
    private(set) var codec: String?
    private(set) var codecString: String?
    private(set) var resolution: Resolution?

    private static let video = [
        "avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc", "dvh1": "hevc", "dvhe": "hevc",
        "av01": "av1",
        "vp09": "vp9", "vp08": "vp8", "mp4v": "mpeg4", "vvc1": "vvc", "vvi1": "vvc",
    ]
    private static let audio = [
        "mp4a": "aac", "ac-3": "ac3", "ec-3": "eac3", "ac-4": "ac4", "Opus": "opus", "fLaC": "flac",
        "alac": "alac",
        ".mp3": "mp3",
    ]
    private static let subtitles = [
        "wvtt": "webvtt", "stpp": "ttml", "tx3g": "tx3g", "c608": "cea608", "c708": "cea708",
    ]

    /// Nil when the entry is shorter than its fixed fields.
    init?(reading box: Box) {
        var content = box.content
        if box.type == "encv" || Self.video[box.type] != nil {
            guard content.skip(24), let width = content.uint16(), let height = content.uint16(),
                content.skip(50)
            else { return nil }
            resolution = Resolution(width: Int(width), height: Int(height))
        } else if box.type == "enca" || Self.audio[box.type] != nil {
            guard Self.skipAudioFields(&content) else { return nil }
        } else {
            guard content.skip(8) else { return nil }
        }
        describe(Self.clearFormat(box.type, ByteCursor(content.rest)), ByteCursor(content.rest))
    }

    private mutating func describe(_ format: String, _ boxes: ByteCursor) {
        if let name = Self.video[format] { (kind, codec) = (.video, name) }
        if let name = Self.audio[format] { (kind, codec) = (.audio, name) }
        if let name = Self.subtitles[format] { (kind, codec) = (.subtitles, name) }
        codecString = CodecConfiguration.codecString(format, boxes)
        if codecString?.hasPrefix("mp4a.6") ?? false { codec = "mp3" }
        codec = codec ?? format
    }

    /// Skips the audio fields, which QuickTime's versions 1 and 2 extend.
    private static func skipAudioFields(_ content: inout ByteCursor) -> Bool {
        guard content.skip(8), let version = content.uint16(), content.skip(18) else { return false }
        switch version {
        case 1: return content.skip(16)
        case 2: return content.skip(36)
        default: return true
        }
    }

    /// The format of an encrypted entry, which has a type of its own and the codec's in its sinf (ISO
    /// 14496-12 §8.12).
    private static func clearFormat(_ type: String, _ boxes: ByteCursor) -> String {
        guard type.hasPrefix("enc"), let protection = BoxSequence.first("sinf", in: boxes)?.content,
            var original = BoxSequence.first("frma", in: protection)?.content, let name = original.take(4)
        else { return type }
        return BoxHeader.text(name.rest)
    }
}
