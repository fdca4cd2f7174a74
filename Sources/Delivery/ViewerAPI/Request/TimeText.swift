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
        var text: [UInt8] = []
        text.reserveCapacity(32)
        appendExactRFC3339(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate func appendExactRFC3339(to text: inout [UInt8]) {
        appendRFC3339(to: &text)
        let rest = Int(microseconds % 1000)
        let below = rest < 0 ? rest + 1000 : rest
        guard below != 0 else { return }
        text.removeLast()
        for place in [100, 10, 1] { text.append(UInt8(ascii: "0") + UInt8(below / place % 10)) }
        text.append(UInt8(ascii: "Z"))
    }
}

extension TimeWindow {
    /// Begin and end without loss, as header fields have them.
    var exactText: String {
        var text: [UInt8] = []
        text.reserveCapacity(64)
        begin.appendExactRFC3339(to: &text)
        text.append(UInt8(ascii: "/"))
        end.appendExactRFC3339(to: &text)
        return String(decoding: text, as: UTF8.self)
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
