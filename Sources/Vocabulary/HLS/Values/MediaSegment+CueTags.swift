extension PlaylistTag {
    /// Whether the tag marks a break for advertising, or carries splice information, in the form of a vendor.
    var isCue: Bool {
        switch self {
        case .cueOut, .cueOutContinued, .cueIn, .cue, .asset, .scte35, .oatclsSCTE35: true
        default: false
        }
    }

    /// The tag that a line begins with; nil for a comment or a tag that this module does not know.
    static func of(line: some StringProtocol) -> PlaylistTag? {
        guard line.utf8.first == UInt8(ascii: "#") else { return nil }
        return TagNames.tag(named: Array(line.utf8.dropFirst().prefix { $0 != ASCII.colon })[...])
    }
}

extension MediaSegment {
    /// The cue tags before the segment, verbatim.
    package var cueTags: [String] {
        guard !unknownLines.isEmpty else { return [] }
        return unknownLines.filter(Self.isCueTag)
    }

    /// The tags before the segment that are neither of the standard nor cue tags, verbatim; no comments.
    package var otherTags: [String] {
        guard !unknownLines.isEmpty else { return [] }
        return unknownLines.filter { $0.hasPrefix("#EXT") && !Self.isCueTag($0) }
    }

    /// Whether a line is a cue tag.
    package static func isCueTag(_ line: String) -> Bool {
        PlaylistTag.of(line: line)?.isCue ?? false
    }
}
