import Timeline

/// The pieces of lines.
extension PlaylistWriter {
    mutating func endLine() {
        append(ASCII.lineFeed)
    }

    mutating func append(_ tag: PlaylistTag) {
        append(ASCII.hash)
        append(contentsOf: tag.rawValue.utf8)
    }

    /// A text without control characters, so that it stays one line.
    mutating func append(_ text: String) {
        let utf8 = text.utf8
        if utf8.contains(where: ASCII.isControl) {
            append(contentsOf: utf8.filter { !ASCII.isControl($0) })
        } else {
            append(contentsOf: utf8)
        }
    }

    /// `NAME=value` or `NAME="value"`.
    ///
    /// A value with a comma, or with a blank at either end, is quoted. Quotation marks in it are left out.
    mutating func append(_ attribute: PlaylistAttribute) {
        append(attribute.name)
        append(ASCII.equals)
        let bytes = attribute.value.utf8
        let isOpen = [bytes.first, bytes.last].contains { $0.map(ASCII.isBlank) ?? false }
        let isQuoted = attribute.isQuoted || isOpen || bytes.contains(ASCII.comma)
        if isQuoted { append(ASCII.quote) }
        // A combining mark behind a quotation mark makes one character of both, so scalars are compared.
        let value = attribute.value
        append(bytes.contains(ASCII.quote) ? String(value.unicodeScalars.filter { $0 != "\"" }) : value)
        if isQuoted { append(ASCII.quote) }
    }

    mutating func append(decimal value: UInt64) {
        var digits = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        append(value, digits: digits)
    }

    /// The last digits of a number, with leading zeros.
    mutating func append(_ value: UInt64, digits: Int) {
        let start = bytes.count
        append(contentsOf: repeatElement(ASCII.zero, count: digits))
        var rest = value
        for index in (start..<bytes.count).reversed() {
            setByte(at: index, to: ASCII.zero + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
    }

    /// Microseconds as seconds with six decimals.
    mutating func append(seconds microseconds: UInt64) {
        append(decimal: microseconds / 1_000_000)
        append(ASCII.dot)
        append(microseconds % 1_000_000, digits: 6)
    }
}
