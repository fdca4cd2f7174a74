/// The name of a channel in URLs: `[a-z0-9][a-z0-9_-]{0,62}`.
package struct ChannelID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    package let text: String

    /// Nil if the text is not a valid id.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...63).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), Self.isAlphanumeric(bytes[0])
        else {
            return nil
        }
        self.text = text
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ChannelID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text) is not a channel id")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package var description: String { text }

    package static func < (a: ChannelID, b: ChannelID) -> Bool {
        a.text < b.text
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == 0x2D || byte == 0x5F
    }
}
