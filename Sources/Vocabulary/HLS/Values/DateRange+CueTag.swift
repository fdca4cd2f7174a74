package import Timeline

/// A cue tag of a segment that never came, as a range of its own.
extension DateRange {
    /// The attribute that has the whole tag.
    private static let tagAttribute = "X-CUE-TAG"

    /// A cue tag that stood before a segment which began at an instant, in microseconds since 1970 UTC; nil
    /// for any other line, and for one that a break goes on with.
    ///
    /// Its id is the tag, at most `idBytes` of it, so the same tag of another rendition is the same range.
    package init?(cueTag line: String, startMicroseconds: Int64, idBytes: Int) {
        guard let tag = CueTag(line: line), tag.tag != .cueOutContinued else { return nil }
        // A quoted string has no quotation marks in it (RFC 8216bis §4.2).
        let text = Self.quotable(line.utf8.dropFirst())
        var id = text
        while id.utf8.count > idBytes { id.removeLast() }
        self.init(id: id, startMicroseconds: startMicroseconds)
        classIdentifier = tag.tag.rawValue
        if tag.tag == .cueOut { plannedDurationMicroseconds = tag.durationMicroseconds }
        otherAttributes.append(Self.tagAttribute, quoted: text)
    }

    /// Of a quoted string the text that was put into it.
    private static func plain(_ utf8: String.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            let code = byte == UInt8(ascii: "%") ? Array(rest.prefix(2)) : []
            if code == Array("22".utf8) {
                bytes.append(ASCII.quote)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
                if code == Array("25".utf8) { rest.removeFirst(2) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A text for a quoted string: by bytes, as a mark that combines makes one character with the one before.
    private static func quotable(_ utf8: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case ASCII.quote: bytes += "%22".utf8
            case UInt8(ascii: "%"): bytes += "%25".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The cue tag that a range was made of, given its attributes; nil when it was not.
    package static func cueTag(of attributes: [PlaylistAttribute]) -> String? {
        guard let text = attributes.first(where: { $0.name == tagAttribute })?.value else { return nil }
        let line = "#" + plain(text.utf8)
        return CueTag(line: line) == nil ? nil : line
    }
}
