import Timeline

extension Instant {
    /// The shortest exact form for this API's own URLs: milliseconds, else microseconds.
    var parameterText: String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: Microseconds.perMillisecond)
        if rest == 0, (100_000_000_000..<10_000_000_000_000).contains(whole) { return "\(whole)" }
        if (100_000_000_000_000..<10_000_000_000_000_000).contains(microseconds) { return "\(microseconds)" }
        return SecondsText.text(max(0, microseconds))
    }

    /// RFC 3339 without loss: milliseconds, or microseconds where those are not exact.
    var exactRFC3339: String {
        let rest = Int(microseconds % 1000)
        let below = rest < 0 ? rest + 1000 : rest
        guard below != 0 else { return rfc3339 }
        let digits = String(below)
        return rfc3339.dropLast() + String(repeating: "0", count: 3 - digits.utf8.count) + digits + "Z"
    }
}

/// Microseconds as seconds with as many decimals as necessary.
enum SecondsText {
    static func text(_ microseconds: Int64) -> String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: Microseconds.perSecond)
        guard rest > 0 else { return "\(whole)" }
        let digits = String(rest)
        var fraction = String(repeating: "0", count: 6 - digits.utf8.count) + digits
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(whole).\(fraction)"
    }
}
