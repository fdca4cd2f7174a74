extension Instant {
    /// RFC 3339 in UTC with milliseconds, as in JSON answers and EXT-X-PROGRAM-DATE-TIME.
    package var rfc3339: String {
        let time = CivilTime(self)
        return [
            padded(time.year, 4), "-", padded(time.month, 2), "-", padded(time.day, 2), "T",
            padded(time.hour, 2), ":", padded(time.minute, 2), ":", padded(time.second, 2), ".",
            padded(time.microsecond / 1000, 3), "Z",
        ].joined()
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

/// A number padded with zeros to a minimum of digits.
private func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return text.count >= digits ? text : String(repeating: "0", count: digits - text.count) + text
}
