package import Timeline

/// A cue tag of a segment that never came, as a range of its own.
extension DateRange {
    /// The attribute that has the whole tag.
    private static let tagAttribute = "X-CUE-TAG"

    /// Makes a range of a cue tag; nil for any other line, and for EXT-X-CUE-OUT-CONT.
    ///
    /// `startMicroseconds` is the begin of the segment after the tag, microseconds since 1970 UTC.
    ///
    /// Its id is the tag, at most `idBytes` of it, so the same tag of another rendition is the same range.
    package init?(cueTag line: String, startMicroseconds: Int64, idBytes: Int) {
        guard let tag = CueTag(line: line), tag.tag != .cueOutContinued else { return nil }
        // A quoted string has no quotation marks in it (RFC 8216bis §4.2), also none below a combining mark.
        let text = String(
            line.unicodeScalars.dropFirst().replacing("%".unicodeScalars, with: "%25".unicodeScalars)
                .replacing("\"".unicodeScalars, with: "%22".unicodeScalars))
        var id = text
        while id.utf8.count > idBytes { id.removeLast() }
        self.init(id: id, startMicroseconds: startMicroseconds)
        classIdentifier = tag.tag.rawValue
        if tag.tag == .cueOut { plannedDurationMicroseconds = tag.durationMicroseconds }
        otherAttributes.append(Self.tagAttribute, quoted: text)
    }

    /// The cue tag that a range was made of, given its attributes; nil when it was not.
    package static func cueTag(of attributes: [PlaylistAttribute]) -> String? {
        guard let text = attributes.first(where: { $0.name == tagAttribute })?.value else { return nil }
        let line =
            "#"
            + String(
                text.unicodeScalars.replacing("%22".unicodeScalars, with: "\"".unicodeScalars)
                    .replacing("%25".unicodeScalars, with: "%".unicodeScalars))
        return CueTag(line: line) == nil ? nil : line
    }
}
