/// The tags of both kinds of playlist (RFC 8216bis §4.4.2).
package protocol CommonTags {
    /// EXT-X-VERSION; nil when it is absent, which means 1.
    var version: Int? { get set }
    var isIndependentSegments: Bool { get set }
    var start: StartPoint? { get set }
    var definitions: [Definition] { get set }
    /// EXT-X-ALLOW-CACHE, which version 7 removed.
    var allowsCache: Bool? { get set }
    /// Unknown lines for the whole playlist, comments included, verbatim.
    var unknownLines: [String] { get set }
}

extension CommonTags {
    /// Copies these tags from another playlist or from a reader.
    mutating func adopt(_ other: some CommonTags) {
        version = other.version
        isIndependentSegments = other.isIndependentSegments
        start = other.start
        definitions = other.definitions
        allowsCache = other.allowsCache
        unknownLines = other.unknownLines
    }
}

/// Where a player should begin (EXT-X-START).
package struct StartPoint: Sendable, Hashable {
    /// From the beginning of the playlist, or from its end when negative.
    package var offsetMicroseconds: Int64
    package var isPrecise: Bool
    package var otherAttributes: AttributeList

    package init(
        offsetMicroseconds: Int64, isPrecise: Bool = false, otherAttributes: AttributeList = AttributeList(),
    ) {
        self.offsetMicroseconds = offsetMicroseconds
        self.isPrecise = isPrecise
        self.otherAttributes = otherAttributes
    }
}

extension StartPoint {
    /// Reads the attributes of a start; nil without TIME-OFFSET.
    init?(_ attributes: AttributeList) {
        var rest = attributes
        guard let offset = rest.take(seconds: "TIME-OFFSET") else { return nil }
        self.init(offsetMicroseconds: offset, isPrecise: rest.take(flag: "PRECISE"))
        otherAttributes = rest
    }

    /// The attributes to write.
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("TIME-OFFSET", DecimalText.seconds(microseconds: offsetMicroseconds))
        list.append("PRECISE", flag: isPrecise)
        list.append(otherAttributes)
        return list
    }
}
