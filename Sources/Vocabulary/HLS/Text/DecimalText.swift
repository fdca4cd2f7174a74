/// Decimal numbers of at most six fraction digits as text.
enum DecimalText {
    /// Seconds from microseconds, without needless zeros.
    static func seconds(microseconds: Int64) -> String {
        let whole = microseconds.magnitude / 1_000_000
        let fraction = microseconds.magnitude % 1_000_000
        let sign = microseconds < 0 ? "-" : ""
        guard fraction > 0 else { return "\(sign)\(whole)" }
        var digits = String(fraction)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }

    /// A number rounded to six digits; nil when it is not finite or too large.
    static func number(_ value: Double) -> String? {
        guard value.magnitude < 9_000_000_000_000 else { return nil }
        // Rounded by adding a half: `rounded()` would need the C math library.
        let microunits = Int64(value * 1_000_000 + (value < 0 ? -0.5 : 0.5))
        return seconds(microseconds: microunits)
    }
}
