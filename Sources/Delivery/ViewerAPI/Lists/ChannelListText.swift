import Catalogue
import Timeline

/// The way in which an app builds the URL of a past programme (`catchup` in M3U).
enum CatchupFlavour: String, CaseIterable {
    /// A template for the whole URL.
    case `default`
    /// A template that is appended to the channel's URL.
    case append
    /// `utc` and `lutc`, appended to the channel's URL.
    case shift
    /// File names beside the channel's.
    case flussonic
    /// Paths of the Xtream Codes API.
    case xc
}

/// A list of channels as M3U, with the attributes of IPTV apps.
struct ChannelListText {
    /// The beginning of every URL, with the viewer's prefix.
    var base: String
    var flavour: CatchupFlavour
    /// User and password in the paths of the Xtream Codes API, percent-encoded.
    var credentials: (user: String, password: String)
    /// What the paths of the Xtream Codes API end with.
    var fileExtension = "m3u8"
    /// The URL of the guide.
    var guide: String
    var now: Instant

    func text(_ channels: [ListedChannel]) -> String {
        let guide = Self.attribute(guide)
        return channels.reduce(into: "#EXTM3U x-tvg-url=\(guide) url-tvg=\(guide)\n") { text, listed in
            text += "#EXTINF:-1"
            for (name, value) in attributes(listed) { text += " \(name)=\(Self.attribute(value))" }
            text += ",\(Self.unquoted(listed.channel.settings.title))\n\(url(listed))\n"
        }
    }

    private func attributes(_ listed: ListedChannel) -> [(String, String)] {
        let settings = listed.channel.settings
        var attributes = [("tvg-id", listed.id), ("tvg-name", settings.title)]
        // A number that a channel keeps, also when others come and go; the Xtream Codes API has the same.
        attributes.append(("tvg-chno", "\(listed.channel.row)"))
        if let logo = settings.logo { attributes.append(("tvg-logo", logo)) }
        if let group = settings.group { attributes.append(("group-title", group)) }
        let days = listed.heldDays(at: now)
        guard days > 0 else { return attributes }
        attributes += [("catchup", flavour.rawValue), ("catchup-days", "\(days)")]
        if let source = source(listed) { attributes.append(("catchup-source", source)) }
        return attributes
    }

    /// The template of a past programme; nil if apps know it by the flavour.
    ///
    /// Kodi replaces `${start}`, `${end}` and `${timestamp}` once in a URL, and so do most apps. The
    /// parameters contain no name of another attribute: its reader searches for those everywhere.
    private func source(_ listed: ListedChannel) -> String? {
        switch flavour {
        case .default: "\(url(listed))?begintime=${start}000&endtime=${end}000"
        case .append: "?utc=${start}&lutc=${timestamp}"
        case .shift, .flussonic, .xc: nil
        }
    }

    private func url(_ listed: ListedChannel) -> String {
        guard flavour == .xc else { return "\(base)/live/\(listed.id)/index.m3u8" }
        let (user, password) = credentials
        return "\(base)/live/\(user)/\(password)/\(listed.channel.row).\(fileExtension)"
    }

    /// A value in quotes.
    private static func attribute(_ value: String) -> String { "\"\(unquoted(value))\"" }

    /// A text on one line without quotes, for which M3U has no escape.
    ///
    /// Apps find the name of a channel after the last quote, where it may have commas.
    private static func unquoted(_ text: String) -> String {
        let line = line(text)
        guard line.utf8.contains(UInt8(ascii: "\"")) else { return line }
        return line.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "'")
    }

    private static func line(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
