import Timeline

/// Dates in playlists (ISO 8601) as microseconds since 1970 UTC.
struct InstantText: Sendable, Equatable {
    var microseconds: Int64
    /// Differences from the form of RFC 8216bis §4.4.4.6.
    var deviations: [Deviation] = []

    /// Reads a date and time: with or without zone (then UTC), colon in the zone, `T`, seconds and fraction.
    ///
    /// A leap second counts as the second after it. Impossible days and years outside the range give nil.
    static func reading(_ bytes: ArraySlice<UInt8>, years: ClosedRange<Int64>) -> InstantText? {
        var cursor = ByteCursor(bytes)
        guard let days = cursor.dayNumber(years: years) else { return nil }
        guard let separator = cursor.current, separator | 0x20 == 0x74 || separator == 0x20 else {
            return nil
        }
        cursor.advance()
        guard let clock = cursor.clockMicroseconds() else { return nil }
        var instant = InstantText(microseconds: days * 86_400_000_000 + clock.microseconds)
        if clock.isLeapSecond { instant.deviations.append(.leapSecond) }
        cursor.skipBlanks()
        if cursor.isAtEnd {
            instant.deviations.append(.dateWithoutZone)
            return instant
        }
        guard let offset = cursor.zoneMicroseconds(), cursor.isAtEnd else { return nil }
        instant.microseconds -= offset
        return instant
    }
}

extension ByteCursor {
    /// A number of exactly this many digits.
    fileprivate mutating func fixed(_ count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let next = digit() else { return nil }
            value = value * 10 + Int64(next)
        }
        return value
    }

    /// `yyyy-mm-dd` as days since 1970.
    fileprivate mutating func dayNumber(years: ClosedRange<Int64>) -> Int64? {
        guard let year = fixed(4), skip(ASCII.minus), let month = fixed(2), skip(ASCII.minus),
            let day = fixed(2), years.contains(year)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return date.exists ? date.daysSince1970 : nil
    }

    /// `hh:mm[:ss[.fraction]]` as microseconds of the day; hour 24 only as midnight at the day's end.
    fileprivate mutating func clockMicroseconds() -> (microseconds: Int64, isLeapSecond: Bool)? {
        guard let hour = fixed(2), skip(ASCII.colon), let minute = fixed(2), minute < 60 else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        if skip(ASCII.colon) {
            guard let value = fixed(2), value <= 60 else { return nil }
            second = value
            if skip(ASCII.dot) || skip(ASCII.comma) { fraction = fractionDigits().microseconds }
        }
        let total = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
        guard hour < 24 || total == 86_400_000_000 else { return nil }
        return (total, second == 60)
    }

    /// `Z`, `+hh:mm`, `+hhmm` or `+hh` as microseconds east of UTC.
    fileprivate mutating func zoneMicroseconds() -> Int64? {
        if skip(0x5A) || skip(0x7A) { return 0 }
        let isWest = skip(ASCII.minus)
        guard isWest || skip(ASCII.plus), let hours = fixed(2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        let hasColon = skip(ASCII.colon)
        if hasColon || !isAtEnd {
            guard let value = fixed(2), value < 60 else { return nil }
            minutes = value
        }
        let offset = (hours * 60 + minutes) * 60_000_000
        return isWest ? -offset : offset
    }
}
