import Timeline

/// Dates in the form of RFC 3339, always in UTC.
extension PlaylistWriter {
    /// A date with three fraction digits, or six where three would lose precision.
    mutating func append(exactDate microseconds: Int64) {
        append(date: microseconds, fractionDigits: microseconds % 1_000 == 0 ? 3 : 6)
    }

    /// `yyyy-mm-ddThh:mm:ss.fffZ`; further digits are cut off.
    mutating func append(date microseconds: Int64, fractionDigits: Int) {
        let days = CivilDate.days(since1970: microseconds)
        let ofDay = UInt64(microseconds &- days &* CivilDate.microsecondsPerDay)
        append(CivilDate(daysSince1970: days))
        append(UInt8(ascii: "T"))
        appendClock(seconds: ofDay / 1_000_000)
        append(ASCII.dot)
        let fraction = ofDay % 1_000_000
        append(fractionDigits == 3 ? fraction / 1_000 : fraction, digits: fractionDigits)
        append(UInt8(ascii: "Z"))
    }

    private mutating func append(_ date: CivilDate) {
        if date.year < 0 { append(ASCII.minus) }
        append(date.year.magnitude, digits: date.year.magnitude > 9_999 ? 6 : 4)
        append(ASCII.minus)
        append(UInt64(date.month), digits: 2)
        append(ASCII.minus)
        append(UInt64(date.day), digits: 2)
    }

    private mutating func appendClock(seconds: UInt64) {
        append(seconds / 3_600, digits: 2)
        append(ASCII.colon)
        append(seconds / 60 % 60, digits: 2)
        append(ASCII.colon)
        append(seconds % 60, digits: 2)
    }

    /// A date as text without loss of precision.
    static func exactDate(_ microseconds: Int64) -> String {
        var writer = PlaylistWriter()
        writer.append(exactDate: microseconds)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
