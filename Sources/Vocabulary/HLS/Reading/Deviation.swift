/// A fault that the reader tolerates: against the standard, seen in real playlists, and harmless when it is
/// known.
package enum Deviation: String, Sendable, Hashable, CaseIterable {
    case byteOrderMark = "a byte order mark before the playlist"
    case blankStart = "blanks before the first line"
    case openingComments = "comments before #EXTM3U"
    case openingAttributes = "text after #EXTM3U"
    case blanksAroundLine = "blanks around a line"
    case loneCarriageReturn = "lines ended by a lone carriage return"
    case controlCharacter = "control characters, left out"
    case invalidUTF8 = "bytes that are not UTF-8"
    case repeatedTag = "a tag that may occur once, repeated with the same value"
    case conflictingTag = "a tag that may occur once, repeated with another value: the last one counts"
    case conflictingAttribute = "a date range whose attribute changes: the first value counts"
    case unreadableTag = "a tag without its required value: kept as an unknown line"
    case unreadableValue = "a malformed value: ignored"
    case unreadableAttribute = "a malformed attribute: ignored"
    case repeatedAttribute = "an attribute given twice: the first one counts"
    case unclosedQuote = "an unclosed quotation mark"
    case unknownRequirement = "an unknown REQ- attribute: the tag is ignored"
    case missingAttribute = "a required attribute is missing"
    case missingComma = "EXTINF without a comma"
    case textAfterDuration = "EXTINF with text between duration and comma"
    case unreadableDuration = "an EXTINF that is not a number: taken as 0"
    case negativeDuration = "a negative EXTINF: taken as 0"
    case implausibleDuration = "an implausibly long EXTINF: taken as 0"
    case missingDuration = "a URI without EXTINF: it is no segment"
    case unusableRange = "a byte range that no resource can have: the segment is taken as missing"
    case missingURI = "a tag that must be followed by a URI, without one"
    case strayURI = "a URI without an EXT-X-STREAM-INF before it"
    case decimalTargetDuration = "a target duration that is not a whole number: rounded up"
    case missingTargetDuration = "a target duration that is missing or unusable: derived from the segments"
    case dateWithoutZone = "a date without a zone: taken as UTC"
    case leapSecond = "a leap second: taken as the second after"
    case implausibleDate = "an impossible date: ignored"
    case unknownVariable = "a variable from outside the playlist, whose value is not known: it is empty"
    case surplusLine = "unknown lines or parts beyond what is kept: left out"
    case lateHeader = "a tag for the whole playlist after its first segment"
}

/// A tolerated deviation, noted once for each tag on which it occurs.
package struct DeviationNote: Sendable, Equatable {
    package var deviation: Deviation
    /// The tag on which it occurs; nil for lines that are not tags.
    package var tag: PlaylistTag?
    /// The first line on which it occurs, from 1.
    package var line: Int
    /// The number of occurrences.
    package var count: Int

    package init(deviation: Deviation, tag: PlaylistTag?, line: Int, count: Int = 1) {
        self.deviation = deviation
        self.tag = tag
        self.line = line
        self.count = count
    }
}

extension DeviationNote {
    /// What deviates, without its place: the same for all loads of a playlist.
    package var message: String { tag.map { "\($0.rawValue): \(deviation.rawValue)" } ?? deviation.rawValue }
}

extension DeviationNote: CustomStringConvertible {
    package var description: String {
        let place = tag.map { "line \(line), \($0.rawValue)" } ?? "line \(line)"
        return count > 1
            ? "\(place): \(deviation.rawValue) (\(count) times)" : "\(place): \(deviation.rawValue)"
    }
}
