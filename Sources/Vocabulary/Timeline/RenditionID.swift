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
        guard let first = text.first,
            let kind = [RenditionKind.video, .audio, .subtitles].first(where: { $0.letter == first })
        else { return nil }
        let digits = text.dropFirst()
        guard (1...3).contains(digits.utf8.count), let index = Int(digits), index >= 0,
            String(index) == digits
        else {
            return nil
        }
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
