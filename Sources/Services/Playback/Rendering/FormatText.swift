import HLS
import Timeline

/// The lines that a format needs before its segments, rendered once per format.
struct FormatText {
    /// EXT-X-MAP with its line end; nil if the container has no initialization section.
    let map: [UInt8]?
    /// EXT-X-KEY up to its IV, without a line end.
    ///
    /// Nil if the segments are clear or their keys cannot be recorded.
    let key: [UInt8]?
    /// EXT-X-KEY lines of DRM systems.
    let foreignKeys: [UInt8]
    /// The ending of the segments' URIs, with the line end.
    let ending: [UInt8]
    let version: Int

    init(_ format: SegmentFormat, rendition: RenditionID) {
        map = format.initName.map { name in
            var writer = PlaylistWriter()
            writer.map(MediaMap(uri: "\(rendition)/\(name)"))
            return writer.bytes
        }
        key = format.keyName.flatMap { name in
            format.keyMethod.map { Array("#EXT-X-KEY:METHOD=\($0),URI=\"keys/\(name)\"".utf8) }
        }
        foreignKeys = format.drmTags.flatMap { Array(Self.line($0).utf8) }
        ending = Array(".\(format.container.rawValue)\n".utf8)
        version = Self.version(of: format)
    }

    var isClear: Bool { key == nil && foreignKeys.isEmpty }

    /// A recorded tag, with its name added if that was not recorded.
    private static func line(_ tag: String) -> String {
        let text = tag.filter { !$0.isNewline }
        return text.hasPrefix("#EXT-X-KEY:") ? "\(text)\n" : "#EXT-X-KEY:\(text)\n"
    }

    /// RFC 8216bis §8: 3 for decimals in EXTINF, 5 for KEYFORMAT and SAMPLE-AES, 6 for MAP.
    private static func version(of format: SegmentFormat) -> Int {
        if format.initName != nil { return 6 }
        let isPlain = format.drmTags.isEmpty && (format.keyMethod ?? "AES-128") == "AES-128"
        return isPlain ? 3 : 5
    }
}
