/// Numbers from bytes; nil for one that does not fit.
extension ByteCursor {
    /// A decimal integer of at most 64 bits; all its digits are consumed, also when it does not fit.
    mutating func unsigned() -> UInt64? {
        guard var value = digit() else { return nil }
        var overflowed = false
        while let next = digit() {
            let (product, tooBig) = value.multipliedReportingOverflow(by: 10)
            let (sum, alsoTooBig) = product.addingReportingOverflow(next)
            overflowed = overflowed || tooBig || alsoTooBig
            value = sum
        }
        return overflowed ? nil : value
    }

    /// Decimal seconds with any number of fraction digits as microseconds, rounded to the nearest.
    ///
    /// A leading sign and a missing integer or fraction part (`.36`, `6.`) are accepted.
    mutating func microseconds() -> Int64? {
        let isNegative = skip(ASCII.minus)
        if !isNegative { _ = skip(ASCII.plus) }
        let hasWhole = current.map(ASCII.isDigit) ?? false
        let whole = hasWhole ? unsigned() : 0
        var fraction: Int64 = 0
        if skip(ASCII.dot) {
            let digits = fractionDigits()
            guard hasWhole || digits.count > 0 else { return nil }
            fraction = digits.microseconds
        } else if !hasWhole {
            return nil
        }
        guard let whole, whole < Self.secondsLimit else { return nil }
        let magnitude = Int64(whole) * 1_000_000 + fraction
        return isNegative ? -magnitude : magnitude
    }

    /// Digits after a decimal point as microseconds, rounded, and how many there were.
    mutating func fractionDigits() -> (microseconds: Int64, count: Int) {
        var value: Int64 = 0
        var weight: Int64 = 100_000
        var count = 0
        while let next = digit() {
            count += 1
            if count == 7 {
                value += next >= 5 ? 1 : 0
            } else {
                value += Int64(next) * weight
                weight /= 10
            }
        }
        return (value, count)
    }

    /// Whole seconds from here on would overflow microseconds in 64 bits.
    private static let secondsLimit: UInt64 = 9_000_000_000_000

    /// All of a text as a decimal integer.
    static func unsigned(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        var cursor = ByteCursor(bytes)
        let value = cursor.unsigned()
        cursor.skipBlanks()
        return cursor.isAtEnd ? value : nil
    }

    static func unsigned(_ text: String) -> UInt64? {
        unsigned(Array(text.utf8)[...])
    }

    /// Whether a text is a decimal number, of whatever size.
    static func isDecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
        var cursor = ByteCursor(bytes)
        if !cursor.skip(ASCII.minus) { _ = cursor.skip(ASCII.plus) }
        var count = cursor.readBytes { !ASCII.isDigit($0) }.count
        if cursor.skip(ASCII.dot) { count += cursor.readBytes { !ASCII.isDigit($0) }.count }
        return count > 0 && cursor.isAtEnd
    }

    /// All of a text as decimal seconds.
    static func microseconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var cursor = ByteCursor(bytes)
        let value = cursor.microseconds()
        cursor.skipBlanks()
        return cursor.isAtEnd ? value : nil
    }

    static func microseconds(_ text: String) -> Int64? {
        microseconds(Array(text.utf8)[...])
    }
}
