import Timeline

/// Reads the header field Retry-After (RFC 9110 §10.2.3): seconds or a date.
enum RetryAfter {
    /// The pause that a value asks for; nil if it is neither, or a date while the answer has no Date field.
    ///
    /// A date is compared with the Date field of the answer, because the host's clock may differ.
    static func pause(_ value: String, at date: String?) -> Duration? {
        if let seconds = Int(value) { return bounded(Int64(seconds)) }
        guard let wanted = instant(value), let now = date.flatMap(instant) else { return nil }
        return bounded((wanted - now) / Microseconds.perSecond)
    }

    private static func bounded(_ seconds: Int64) -> Duration { .seconds(min(max(seconds, 0), 3600)) }

    /// Reads a date in each of the three forms that recipients have to know (RFC 9110 §5.6.7):
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
    static func instant(_ text: String) -> Instant? {
        var words = text.split { " ,-:".contains($0) }.dropFirst()
        if words.last == "GMT" { words.removeLast() } else { words = inOrder(words) }
        guard words.count == 6 else { return nil }
        let numbers = words.map { Int($0) ?? months.firstIndex(of: $0).map { $0 + 1 } ?? -1 }
        // A year of two digits is in this century.
        let year = numbers[2] < 100 ? 2000 + numbers[2] : numbers[2]
        return CivilTime(
            year: year, month: numbers[1], day: numbers[0], hour: numbers[3], minute: numbers[4],
            second: numbers[5]
        ).instant
    }

    /// Month, day, hour, minute, second and year as day, month, year and time.
    private static func inOrder(_ words: ArraySlice<Substring>) -> ArraySlice<Substring> {
        let words = Array(words)
        guard words.count == 6 else { return [] }
        return [words[1], words[0], words[5], words[2], words[3], words[4]]
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
