/// The name of an object in the archive; it follows from the URL, without a query to the catalogue.
package enum ArchiveKey: Hashable, Sendable {
    case segment(ChannelID, RenditionID, SegmentName)
    /// An initialization section, named by its digest: `init-{16 hex digits}` with the extension `.mp4`,
    /// `.ts` for transport streams, or `.vtt` for WebVTT.
    case initialization(ChannelID, RenditionID, String)
    /// A content key, named by its digest in hex digits.
    case key(ChannelID, String)

    /// The path below the root of the archive, separated by `/`.
    package var path: String {
        switch self {
        case .segment(let channel, let rendition, let name): "\(channel)/\(rendition)/\(name.path)"
        case .initialization(let channel, let rendition, let name): "\(channel)/\(rendition)/\(name)"
        case .key(let channel, let name): "\(channel)/keys/\(name)"
        }
    }

    /// Whether a text is the name of an initialization section.
    package static func isInitializationName(_ text: String) -> Bool {
        guard text.hasPrefix("init-"), let ending = initializationEndings.first(where: text.hasSuffix) else {
            return false
        }
        return isHex(text.dropFirst(5).dropLast(ending.count), count: 16)
    }

    private static let initializationEndings = [".mp4", ".ts", ".vtt"]

    /// Whether a text is the id of a key: 32 hex digits.
    package static func isKeyName(_ text: String) -> Bool {
        isHex(text[...], count: 32)
    }

    private static func isHex(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
