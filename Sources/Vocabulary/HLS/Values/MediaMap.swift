/// The initialization section that segments need (EXT-X-MAP).
package struct MediaMap: Sendable, Hashable {
    package var uri: String
    package var byteRange: ByteRange?
    /// The keys in force at the tag, which may differ from those of the segments (RFC 8216bis §4.4.4.5).
    package var keys: [Key]
    package var otherAttributes: AttributeList

    package init(
        uri: String, byteRange: ByteRange? = nil, keys: [Key] = [],
        otherAttributes: AttributeList = AttributeList(),
    ) {
        self.uri = uri
        self.byteRange = byteRange
        self.keys = keys
        self.otherAttributes = otherAttributes
    }
}

extension MediaMap {
    /// Reads the attributes of a map; nil without URI.
    init?(_ attributes: AttributeList, keys: [Key]) {
        var rest = attributes
        guard let uri = rest.take("URI") else { return nil }
        let range = rest.take("BYTERANGE") { ListedByteRange(Array($0.utf8)[...])?.resolved(after: 0) }
        self.init(uri: uri, byteRange: range, keys: keys, otherAttributes: rest)
    }

    /// The attributes to write; keys have their own tags.
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("URI", quoted: uri)
        list.append("BYTERANGE", quoted: byteRange?.text)
        list.append(otherAttributes)
        return list
    }
}
