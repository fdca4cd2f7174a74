/// Times of log lines, without Foundation.
enum LogTime {
    /// RFC 3339 in UTC with milliseconds; years outside 0…9999 are not written by this program's clock.
    static func text(milliseconds: Int64) -> String {
        let day = floorDivide(milliseconds, by: 86_400_000)
        let time = milliseconds - day * 86_400_000
        let (year, month, dayOfMonth) = civil(dayNumber: day)
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(dayOfMonth, 2))T"
            + "\(digits(time / 3_600_000, 2)):\(digits(time / 60_000 % 60, 2)):\(digits(time / 1000 % 60, 2))"
            + ".\(digits(time % 1000, 3))Z"
    }

    /// The Gregorian date of a day counted from 1970-01-01, in eras of 400 years that begin on 1 March.
    private static func civil(dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = dayNumber + 719_468
        let era = floorDivide(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    }

    private static func digits(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
