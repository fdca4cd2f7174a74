extension Instant {
    /// RFC 3339 in UTC with milliseconds, as in JSON answers and EXT-X-PROGRAM-DATE-TIME.
    package var rfc3339: String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        appendRFC3339(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends what `rfc3339` is, in ASCII.
    package func appendRFC3339(to text: inout [UInt8]) {
        let time = CivilTime(self)
        append(time.year, digits: 4, before: "-", to: &text)
        append(time.month, digits: 2, before: "-", to: &text)
        append(time.day, digits: 2, before: "T", to: &text)
        append(time.hour, digits: 2, before: ":", to: &text)
        append(time.minute, digits: 2, before: ":", to: &text)
        append(time.second, digits: 2, before: ".", to: &text)
        append(time.microsecond / 1000, digits: 3, before: "Z", to: &text)
    }

    /// The date as it names a folder of the archive: `yyyy-mm-dd`.
    package var dateText: String {
        let time = CivilTime(self)
        return "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
    }

    /// The hour of the day, two digits.
    package var hourText: String {
        padded(CivilTime(self).hour, 2)
    }

    /// `yyyyMMddTHHmmssZ`, suitable for file names.
    package var compactText: String {
        rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }
}

/// Appends a number padded with zeros to a minimum of digits, and a mark.
private func append(_ value: Int, digits: Int, before mark: Unicode.Scalar, to text: inout [UInt8]) {
    var (limit, missing) = (10, digits - 1)
    while value >= limit, limit < 100_000_000 { (limit, missing) = (limit * 10, missing - 1) }
    guard value >= 0, value < limit else {
        text += padded(value, digits).utf8
        text.append(UInt8(ascii: mark))
        return
    }
    for _ in 0..<max(0, missing) { text.append(UInt8(ascii: "0")) }
    while limit >= 10 {
        limit /= 10
        text.append(UInt8(ascii: "0") + UInt8(value / limit % 10))
    }
    text.append(UInt8(ascii: mark))
}

/// A number padded with zeros to a minimum of digits.
private func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return text.count >= digits ? text : String(repeating: "0", count: digits - text.count) + text
}
