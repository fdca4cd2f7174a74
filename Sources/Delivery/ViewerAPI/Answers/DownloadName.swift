import Catalogue
import HTTP
import Playback
import Timeline

/// The name under which a browser stores a window (RFC 6266).
struct DownloadName {
    var channel: ChannelSettings
    var begin: Instant
    /// Nil unless the request names one.
    var rendition: RenditionID?
    /// What the name ends with, such as `mp4`.
    var fileExtension: String

    /// The value of `Content-Disposition`: a name in ASCII and, if the channel has its own title, a second
    /// name.
    ///
    /// The second name has the title; programs that know this form prefer it (§4.3).
    var fieldValue: String {
        let plain = name(channel.id.text, "_")
        let field = "attachment; filename=\"\(plain)\""
        let title = Self.fileName(channel.title)
        guard !title.isEmpty, title != channel.id.text else { return field }
        return "\(field); filename*=UTF-8''\(PercentEncoding.encoded(name(title, " ")))"
    }

    private func name(_ first: String, _ separator: String) -> String {
        let words = [first, begin.compactText] + (rendition.map { ["\($0)"] } ?? [])
        return "\(words.joined(separator: separator)).\(fileExtension)"
    }

    /// A title without what file systems do not take in a name.
    private static func fileName(_ title: String) -> String {
        let scalars = title.unicodeScalars.prefix(longestTitle).map { scalar -> Unicode.Scalar in
            scalar.value < 0x20 || scalar.value == 0x7F || refused.contains(scalar) ? "-" : scalar
        }
        let text = String(String.UnicodeScalarView(scalars))
        return String(text.drop { $0 == "." || $0 == " " })
    }

    private static let refused: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]
    private static let longestTitle = 50
}

extension RequestedWindow {
    /// The field `Content-Disposition` of a window as one file.
    func name(_ begin: Instant, _ fileExtension: String) -> String {
        DownloadName(
            channel: channel.settings, begin: begin, rendition: parameters.rendition,
            fileExtension: fileExtension
        ).fieldValue
    }
}
