/// Dates of header fields (RFC 9110 §5.6.7), as whole seconds since 1970.
package enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// The first second of year 1 and the last of year 9999: what four digits can say.
    private static let expressible = Int64(-62_135_596_800)...Int64(253_402_300_799)

    /// The date as IMF-fixdate; a date that four digits of year cannot say becomes the nearest that they can.
    package static func fieldValue(seconds: Int64) -> String {
        let seconds = min(max(seconds, expressible.lowerBound), expressible.upperBound)
        let date = CivilTime(secondsSince1970: seconds)
        let day = "\(weekdays[date.weekday]), \(padded(date.day, 2)) \(months[date.month - 1])"
        let time = "\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2))"
        return "\(day) \(padded(date.year, 4)) \(time) GMT"
    }

    /// Reads IMF-fixdate, the RFC 850 form or the form of asctime; nil for anything else.
    ///
    /// The weekday must be one but need not be right. A year of two digits is one of 1970 to 2069.
    package static func seconds(reading value: String) -> Int64? {
        let words = value.split(separator: " ")
        switch words.count {
        case 6: return fixdate(words)
        case 5: return asctime(words)
        case 4: return rfc850(words)
        default: return nil
        }
    }

    // Sun, 06 Nov 1994 08:49:37 GMT
    private static func fixdate(_ words: [Substring]) -> Int64? {
        guard words[0].hasSuffix(","), weekdays.contains(String(words[0].dropLast())), words[5] == "GMT",
            words[1].utf8.count == 2, words[3].utf8.count == 4
        else { return nil }
        return seconds(year: number(words[3]), month: words[2], day: number(words[1]), time: words[4])
    }

    // Sunday, 06-Nov-94 08:49:37 GMT
    private static func rfc850(_ words: [Substring]) -> Int64? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[0].hasSuffix("day,"), weekdays.contains(String(words[0].prefix(3))), words[3] == "GMT",
            parts.count == 3, parts[0].utf8.count == 2, parts[2].utf8.count == 2, let short = number(parts[2])
        else { return nil }
        return seconds(
            year: short < 70 ? 2000 + short : 1900 + short, month: parts[1], day: number(parts[0]),
            time: words[2])
    }

    // Sun Nov  6 08:49:37 1994
    private static func asctime(_ words: [Substring]) -> Int64? {
        guard weekdays.contains(String(words[0])), words[4].utf8.count == 4 else { return nil }
        return seconds(year: number(words[4]), month: words[1], day: number(words[2]), time: words[3])
    }

    private static func seconds(year: Int?, month: Substring, day: Int?, time: Substring) -> Int64? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year, year >= 1, let day, let month = months.firstIndex(of: String(month)),
            parts.count == 3,
            parts.allSatisfy({ $0.utf8.count == 2 }), let hour = number(parts[0]),
            let minute = number(parts[1]),
            let second = number(parts[2]), hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CivilTime(
            year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        return date.secondsSince1970
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.count <= 4 ? saturatingDecimal(text.utf8).map(Int.init(truncatingIfNeeded:)) : nil
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
