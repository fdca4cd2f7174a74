/// What a reader forgives: each is against the standard, met in real lists, and harmless once known.
package enum Deviation: String, Sendable, Hashable, CaseIterable {
    case byteOrderMark = "a byte order mark before the list"
    case blankStart = "blanks before the first line"
    case openingAttributes = "attributes after #EXTM3U"
    case blanksAroundLine = "blanks around a line"
    case loneCarriageReturn = "lines ended by a lone carriage return"
    case controlCharacter = "control characters, left out"
    case invalidUTF8 = "bytes that are not UTF-8"
    case repeatedTag = "a tag that should stand once, repeated with the same value"
    case conflictingTag = "a tag that should stand once, repeated with another value: the first one counts"
    case unreadableTag = "a tag without what it must say: kept as an unknown line"
    case unreadableValue = "a value of the wrong form: ignored"
    case unreadableAttribute = "an attribute of the wrong form: ignored"
    case repeatedAttribute = "an attribute given twice: the first one counts"
    case unclosedQuote = "a quotation mark that is not closed"
    case unknownRequirement = "an unknown REQ- attribute: the tag is ignored"
    case missingAttribute = "an attribute that the standard demands is missing"
    case missingComma = "EXTINF without a comma"
    case textAfterDuration = "EXTINF with text between duration and comma"
    case unreadableDuration = "an EXTINF that is no number: taken as 0"
    case negativeDuration = "a negative EXTINF: taken as 0"
    case absurdDuration = "an EXTINF beyond all reason: taken as 0"
    case missingDuration = "a segment without EXTINF: its duration is taken as 0"
    case missingURI = "a tag that a URI must follow, without one"
    case strayURI = "a URI that no EXT-X-STREAM-INF announces"
    case decimalTargetDuration = "a target duration with decimals: rounded up"
    case missingTargetDuration = "a target duration that is missing or 0: taken from the segments"
    case dateWithoutZone = "a date without a zone: taken as UTC"
    case leapSecond = "a leap second: taken as the second after"
    case implausibleDate = "a date that cannot be: ignored"
    case lateHeader = "a tag for the whole list after its first segment"
}

/// A deviation that was tolerated, told once for each tag it was met on.
package struct Note: Sendable, Equatable {
    package var deviation: Deviation
    /// The tag it was met on; nil for lines that are not tags.
    package var tag: PlaylistTag?
    /// The first line it was met on, from 1.
    package var line: Int
    /// How often it was met.
    package var count: Int

    package init(deviation: Deviation, tag: PlaylistTag?, line: Int, count: Int = 1) {
        self.deviation = deviation
        self.tag = tag
        self.line = line
        self.count = count
    }
}

extension Note: CustomStringConvertible {
    package var description: String {
        let place = tag.map { "line \(line), \($0.rawValue)" } ?? "line \(line)"
        return count > 1
            ? "\(place): \(deviation.rawValue) (\(count) times)" : "\(place): \(deviation.rawValue)"
    }
}
