/// A day of the proleptic Gregorian calendar.
///
/// Days are counted in cycles of 400 years that begin on 1 March, so that the leap day is the last of its
/// year.
package struct CivilDate: Sendable, Equatable {
    package var year: Int64
    package var month: Int64
    package var day: Int64

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date this many days after 1 January 1970; days come from microseconds in 64 bits.
    package init(daysSince1970 days: Int64) {
        let shifted = days &+ Self.daysFromMarchOfYearZero
        let era = Self.floorDivide(shifted, Self.daysPerEra)
        let dayOfEra = shifted &- era &* Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
    }

    /// Days from 1 January 1970 to this date, for years of at most nine digits.
    package var daysSince1970: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Self.floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysFromMarchOfYearZero
    }

    /// Whether the calendar has this day.
    package var exists: Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day <= lengths[Int(month) - 1]
    }

    package static let microsecondsPerDay: Int64 = 86_400_000_000

    /// The day on which an instant lies, in days since 1 January 1970.
    package static func days(since1970 microseconds: Int64) -> Int64 {
        floorDivide(microseconds, microsecondsPerDay)
    }

    private static let daysPerEra: Int64 = 146_097
    private static let daysFromMarchOfYearZero: Int64 = 719_468

    /// Division that rounds toward negative infinity, by a positive divisor.
    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
