/// What an object of the archive is called below its root; a URL determines it without asking the catalogue.
package enum ArchiveKey: Hashable, Sendable {
    case segment(ChannelID, RenditionID, SegmentName)
    /// An initialization section, named by its digest: `init-{16 hex digits}.mp4`.
    case initialization(ChannelID, RenditionID, String)
    /// A content key, named by its digest in hex digits.
    case key(ChannelID, String)

    /// The path below the root of the archive, `/` between parts.
    package var path: String {
        switch self {
        case .segment(let channel, let rendition, let name): "\(channel)/\(rendition)/\(name.path)"
        case .initialization(let channel, let rendition, let name): "\(channel)/\(rendition)/\(name)"
        case .key(let channel, let name): "\(channel)/keys/\(name)"
        }
    }

    /// Whether a text is `init-{16 hex digits}.mp4`.
    package static func isInitializationName(_ text: String) -> Bool {
        text.hasPrefix("init-") && text.hasSuffix(".mp4") && isHex(text.dropFirst(5).dropLast(4), count: 16)
    }

    /// Whether a text is the id of a key: 32 hex digits.
    package static func isKeyName(_ text: String) -> Bool {
        isHex(text[...], count: 32)
    }

    private static func isHex(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
