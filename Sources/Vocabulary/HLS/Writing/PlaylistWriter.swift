/// Writes the lines of playlists as bytes, without Foundation and without a string for each number.
package struct PlaylistWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reservingCapacity byteCount: Int = 0) {
        bytes.reserveCapacity(byteCount)
    }

    /// Appends bytes that are complete lines, such as a rendered block.
    package mutating func append(contentsOf rendered: some Collection<UInt8>) {
        bytes.append(contentsOf: rendered)
    }

    /// One byte of a line.
    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Overwrites a reserved byte.
    mutating func setByte(at index: Int, to byte: UInt8) {
        bytes[index] = byte
    }

    /// A line as it is, such as a URI or a verbatim tag; control characters are left out.
    package mutating func line(_ text: String) {
        append(text)
        endLine()
    }

    /// A tag without value.
    package mutating func line(_ tag: PlaylistTag) {
        append(tag)
        endLine()
    }

    /// A tag with a number.
    package mutating func line(_ tag: PlaylistTag, _ number: UInt64) {
        append(tag)
        append(ASCII.colon)
        append(decimal: number)
        endLine()
    }

    /// A tag with a text.
    package mutating func line(_ tag: PlaylistTag, _ text: String) {
        append(tag)
        append(ASCII.colon)
        line(text)
    }

    /// A tag with attributes.
    package mutating func line(_ tag: PlaylistTag, _ attributes: AttributeList) {
        append(tag)
        append(ASCII.colon)
        var isFirst = true
        for attribute in attributes.attributes {
            if !isFirst { append(ASCII.comma) }
            isFirst = false
            append(attribute)
        }
        endLine()
    }
}

extension PlaylistWriter {
    /// EXTINF with six decimals; a negative duration is written as 0.
    mutating func extinf(microseconds: Int64, title: String? = nil) {
        append(.duration)
        append(ASCII.colon)
        append(seconds: UInt64(max(0, microseconds)))
        append(ASCII.comma)
        if let title { append(title) }
        endLine()
    }

    /// EXT-X-PROGRAM-DATE-TIME with milliseconds in UTC; smaller units are cut off.
    package mutating func programDateTime(microseconds: Int64) {
        append(.programDateTime)
        append(ASCII.colon)
        append(date: microseconds, fractionDigits: 3)
        endLine()
    }

    /// EXT-X-PROGRAM-DATE-TIME without loss: six decimals where three do not suffice.
    mutating func exactProgramDateTime(microseconds: Int64) {
        append(.programDateTime)
        append(ASCII.colon)
        append(exactDate: microseconds)
        endLine()
    }

    /// EXT-X-KEY; nil is METHOD=NONE, after which segments are clear.
    package mutating func key(_ key: Key?) {
        line(.key, (key ?? Key(method: .none, uri: nil)).attributes)
    }

    /// EXT-X-MAP; its keys have their own tags.
    package mutating func map(_ map: MediaMap) {
        line(.map, map.attributes)
    }

    /// EXT-X-DATERANGE with its dates in UTC.
    package mutating func dateRange(_ range: DateRange) {
        line(.dateRange, range.attributes)
    }

    package mutating func byteRange(_ range: ByteRange) {
        line(.byteRange, range.text)
    }
}

extension CommonTags {
    /// Writes `#EXTM3U` and the tags of both kinds of playlist; variables come before their use.
    func writeCommonTags(_ writer: inout PlaylistWriter) {
        writer.line(.header)
        if let version { writer.line(.version, String(version)) }
        for definition in definitions { writer.line(.define, definition.attributes) }
        if isIndependentSegments { writer.line(.independentSegments) }
        if let start { writer.line(.start, start.attributes) }
        if let allowsCache { writer.line(.allowCache, allowsCache ? "YES" : "NO") }
    }
}
