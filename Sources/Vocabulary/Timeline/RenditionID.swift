/// The type of media in a rendition.
package enum RenditionKind: String, Sendable, Codable {
    case video
    case audio
    case subtitles

    /// The first letter of its ids.
    package var letter: Character {
        switch self {
        case .video: "v"
        case .audio: "a"
        case .subtitles: "s"
        }
    }

    fileprivate init?(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "v"): self = .video
        case UInt8(ascii: "a"): self = .audio
        case UInt8(ascii: "s"): self = .subtitles
        default: return nil
        }
    }
}

/// The name of a rendition within its channel: `[vas][0-9]{1,3}`; it is never reused for another rendition.
package struct RenditionID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    package let kind: RenditionKind
    package let index: Int

    package init(kind: RenditionKind, index: Int) {
        self.kind = kind
        self.index = min(max(index, 0), 999)
    }

    /// Nil if the text is not a valid id; leading zeros are not allowed.
    package init?(_ text: String) {
        let bytes = text.utf8Span.span
        var place = 1
        guard let kind = text.utf8.first.flatMap(RenditionKind.init(letter:)),
            let index = bytes.decimal(at: &place, digits: 3), place == bytes.count
        else { return nil }
        self.init(kind: kind, index: index)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = RenditionID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text) is not a rendition id")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    package var description: String { "\(kind.letter)\(index)" }

    /// One number says all of it: renditions are looked up by it at each event.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(Self.rank(kind) << 10 | index)
    }

    /// Video first, then audio, then subtitles; the first rendition of a channel is the leading one.
    package static func < (a: RenditionID, b: RenditionID) -> Bool {
        (rank(a.kind), a.index) < (rank(b.kind), b.index)
    }

    private static func rank(_ kind: RenditionKind) -> Int {
        switch kind {
        case .video: 0
        case .audio: 1
        case .subtitles: 2
        }
    }
}
