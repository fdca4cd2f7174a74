/// Why a text is not accepted as a playlist, and where.
package struct PlaylistError: Error, Sendable, Equatable {
    /// What a text without #EXTM3U looks like.
    package enum DetectedContent: String, Sendable, Hashable {
        case html = "a web page"
        case xml = "an XML document"
        case json = "a JSON document"
        case gzip = "gzip data without Content-Encoding"
        case transportStream = "an MPEG transport stream"
        case other = "something else"
    }

    package enum Limit: String, Sendable, Hashable {
        case bytes
        case lines
        case lineBytes = "bytes in a line"
        case segments
        case attributes
        case allAttributes = "attributes in all tags"
        case tags = "tags of this name"
        case memory = "bytes of memory"
        case keys = "keys in force"
        case variables
        case insertedBytes = "bytes inserted by variables"
        case discontinuities = "discontinuities before one segment"
    }

    package enum Reason: Sendable, Hashable {
        case empty
        case notAPlaylist(DetectedContent)
        case utf16
        /// A list of channels for a set-top box, not of the segments of one channel.
        case channelList
        /// URIs without any HLS tag.
        case noTags
        case mixedKinds
        case limit(Limit, maximum: Int)
        case missingAttribute(String)
        case unreadable
        /// A byte range without offset that does not continue another.
        case unanchoredByteRange
        case variableUndefined(String)
        case variableRepeated(String)
        case variableUnusable(String)
    }

    /// From 1; 0 for the whole text.
    package var line: Int
    package var tag: PlaylistTag?
    package var reason: Reason

    package init(line: Int, tag: PlaylistTag?, reason: Reason) {
        self.line = line
        self.tag = tag
        self.reason = reason
    }

    /// Whether the same request may return a playlist later: a gateway's error page, an empty body.
    package var isTransient: Bool {
        switch reason {
        case .empty, .notAPlaylist: true
        default: false
        }
    }
}

extension PlaylistError: CustomStringConvertible {
    package var description: String {
        var place = line > 0 ? "line \(line)" : ""
        if let tag { place += place.isEmpty ? tag.rawValue : ", \(tag.rawValue)" }
        return place.isEmpty ? reason.description : "\(place): \(reason.description)"
    }
}

extension PlaylistError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the body is empty"
        case .notAPlaylist(let detectedContent):
            "not an HLS playlist: it does not begin with #EXTM3U and looks like \(detectedContent.rawValue)"
        case .utf16: "the text is UTF-16; a playlist is UTF-8"
        case .channelList:
            "an IPTV channel list, whose entries are channels and not segments: use the URL of one of its channels"
        case .noTags: "the text has URIs but no HLS tag: it is a plain M3U file"
        case .mixedKinds:
            "the tag belongs to the other kind of playlist: multivariant and media tags are mixed"
        case .limit(let limit, let maximum): "more than \(maximum) \(limit.rawValue)"
        case .missingAttribute(let name):
            "\(name) is missing or unreadable, and the media cannot be used without it"
        case .unreadable: "the value is not a number of at most 64 bits, or overflows them"
        case .unanchoredByteRange: "a byte range without offset does not follow a range of the same resource"
        case .variableUndefined(let name): "the variable \(name) has no value"
        case .variableRepeated(let name): "the variable \(name) is defined twice"
        case .variableUnusable(let name): "the variable \(name) has an unusable name or value"
        }
    }
}
