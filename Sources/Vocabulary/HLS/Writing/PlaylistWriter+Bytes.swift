/// The pieces of lines.
extension PlaylistWriter {
    mutating func endLine() {
        append(ASCII.lineFeed)
    }

    mutating func append(_ tag: PlaylistTag) {
        append(ASCII.hash)
        append(contentsOf: tag.rawValue.utf8)
    }

    /// A text without its control characters: a line must stay one line.
    mutating func append(_ text: String) {
        let utf8 = text.utf8
        if utf8.contains(where: ASCII.isControl) {
            append(contentsOf: utf8.filter { !ASCII.isControl($0) })
        } else {
            append(contentsOf: utf8)
        }
    }

    /// `NAME=value` or `NAME="value"`; a comma needs quotation marks, and none can stand inside them.
    mutating func append(_ attribute: AttributeList.Attribute) {
        append(attribute.name)
        append(ASCII.equals)
        let isQuoted = attribute.isQuoted || attribute.value.utf8.contains(ASCII.comma)
        if isQuoted { append(ASCII.quote) }
        let hasQuote = attribute.value.utf8.contains(ASCII.quote)
        append(hasQuote ? attribute.value.filter { $0 != "\"" } : attribute.value)
        if isQuoted { append(ASCII.quote) }
    }

    mutating func append(decimal value: UInt64) {
        var divisor: UInt64 = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(ASCII.zero + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    /// The last digits of a number, with leading zeros; at least one digit.
    mutating func append(_ value: UInt64, digits: Int) {
        var divisor: UInt64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(ASCII.zero + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    /// Microseconds as seconds with six decimals.
    mutating func append(seconds microseconds: UInt64) {
        append(decimal: microseconds / 1_000_000)
        append(ASCII.dot)
        append(microseconds % 1_000_000, digits: 6)
    }
}
