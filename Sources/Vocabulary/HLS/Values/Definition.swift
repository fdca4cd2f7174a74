/// A variable of a playlist with its value at the time of reading (EXT-X-DEFINE).
///
/// Values are often access tokens: they are never part of an identity and never logged.
package struct Definition: Sendable, Hashable {
    /// The source of the value, which decides the form of the tag.
    package enum Origin: Sendable, Hashable {
        /// NAME and VALUE.
        case value
        /// IMPORT, from the multivariant playlist.
        case imported
        /// QUERYPARAM, from the URL of the playlist.
        case queryParameter
    }

    package var name: String
    package var value: String
    package var origin: Origin

    package init(name: String, value: String, origin: Origin = .value) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    /// The attributes of the tag, without imported and queried values.
    var attributes: AttributeList {
        var list = AttributeList()
        switch origin {
        case .value:
            list.append("NAME", quoted: name)
            list.append("VALUE", quoted: value)
        case .imported: list.append("IMPORT", quoted: name)
        case .queryParameter: list.append("QUERYPARAM", quoted: name)
        }
        return list
    }
}

extension CommonTags {
    /// The variables by name, for the playlists that import them from a multivariant playlist.
    package var variables: [String: String] {
        Dictionary(definitions.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
