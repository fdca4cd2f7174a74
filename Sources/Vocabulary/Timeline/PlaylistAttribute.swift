/// An attribute of a tag, as a playlist has it (RFC 8216bis §4.2).
package struct PlaylistAttribute: Sendable, Hashable, Codable {
    package var name: String
    /// The value without its quotation marks.
    package var value: String
    package var isQuoted: Bool

    package init(name: String, value: String, isQuoted: Bool) {
        self.name = name
        self.value = value
        self.isQuoted = isQuoted
    }

    private enum CodingKeys: String, CodingKey {
        case name, value
        case isQuoted = "quoted"
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try stored.read(.name), value: try stored.read(.value),
            isQuoted: try stored.read(.isQuoted, default: true))
    }
}
