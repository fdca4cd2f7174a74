import Timeline

/// Attribute lists (RFC 8216bis §4.2); blanks, repeated names and unclosed quotation marks are tolerated.
extension ReadingContext {
    mutating func attributes(_ bytes: ArraySlice<UInt8>) throws(PlaylistError) -> AttributeList {
        try countTag()
        var list = AttributeList()
        var cursor = ByteCursor(bytes)
        while true {
            cursor.skipBlanks()
            guard !cursor.isAtEnd else { return list }
            attributeTotal += 1
            try check(attributeTotal, .allAttributes, limits.totalAttributeCount)
            keep(byteCount: MemoryLayout<PlaylistAttribute>.stride)
            if let attribute = try attribute(&cursor), !list.append(attribute) { note(.repeatedAttribute) }
            try check(list.attributes.count, .attributes, limits.attributeCount)
            _ = cursor.readBytes { $0 == ASCII.comma }
            cursor.advance()
        }
    }

    /// One `NAME=value`; the cursor ends after the value.
    private mutating func attribute(
        _ cursor: inout ByteCursor
    ) throws(PlaylistError) -> PlaylistAttribute? {
        let name = Self.trimmedEnd(cursor.readBytes { $0 == ASCII.equals || $0 == ASCII.comma })
        guard cursor.skip(ASCII.equals), !name.isEmpty else {
            note(.unreadableAttribute)
            return nil
        }
        cursor.skipBlanks()
        let isQuoted = cursor.skip(ASCII.quote)
        let raw = isQuoted ? quoted(&cursor) : unquoted(&cursor)
        let value = text(try substituted(raw))
        return PlaylistAttribute(name: text(name), value: value, isQuoted: isQuoted)
    }

    private mutating func quoted(_ cursor: inout ByteCursor) -> ArraySlice<UInt8> {
        let value = cursor.readBytes { $0 == ASCII.quote }
        if !cursor.skip(ASCII.quote) { note(.unclosedQuote) }
        return value
    }

    /// A value up to the comma, without the quotation marks that only a quoted string may contain.
    private mutating func unquoted(_ cursor: inout ByteCursor) -> ArraySlice<UInt8> {
        let value = Self.trimmedEnd(cursor.readBytes { $0 == ASCII.comma })
        guard value.contains(ASCII.quote) else { return value }
        note(.unclosedQuote)
        // A blank before a quotation mark at the end is at the end now.
        return Self.trimmedEnd(value.filter { $0 != ASCII.quote }[...])
    }

    private static func trimmedEnd(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = bytes.endIndex
        while end > bytes.startIndex, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
        return bytes[bytes.startIndex..<end]
    }
}
