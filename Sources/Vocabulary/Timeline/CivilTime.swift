/// A date and time of day in UTC, in the proleptic Gregorian calendar.
package struct CivilTime: Equatable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int
    package var microsecond: Int

    package init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, microsecond: Int = 0,
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
    }

    /// Converts an instant.
    package init(_ instant: Instant) {
        let days = CivilDate.days(since1970: instant.microseconds)
        let rest = instant.microseconds &- days &* CivilDate.microsecondsPerDay
        let date = CivilDate(daysSince1970: days)
        (year, month, day) = (Int(date.year), Int(date.month), Int(date.day))
        hour = Int(rest / 3_600_000_000)
        minute = Int(rest / 60_000_000 % 60)
        second = Int(rest / 1_000_000 % 60)
        microsecond = Int(rest % 1_000_000)
    }

    /// The instant, or nil if a field is out of range.
    ///
    /// Second 60 counts as 59, because POSIX time has no leap seconds.
    package var instant: Instant? {
        let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
        guard (0...9999).contains(year), date.exists, (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second),
            (0...999_999).contains(microsecond)
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + min(second, 59))
        return Instant(microseconds: seconds * 1_000_000 + Int64(microsecond))
    }
}
