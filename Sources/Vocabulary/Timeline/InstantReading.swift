/// Reads instants in URLs; the number of digits selects the format.
package enum InstantReading {
    /// Converts a civil time in some time zone; nil if that time does not exist.
    ///
    /// If the time occurs twice, the result is the first one after the given instant, if there is one.
    package typealias Zone = (_ time: CivilTime, _ after: Instant?) -> Instant?

    /// The known formats, for an error message.
    package static let formats =
        "seconds, milliseconds or microseconds since 1970, yyyyMMddHHmmss, or RFC 3339"

    /// Reads an instant; nil if the text has none of the known formats.
    ///
    /// They are epoch seconds (up to 11 digits, decimals allowed), milliseconds (12 or 13), microseconds (15
    /// or 16), `yyyyMMddHHmmss` (14, or 17 with milliseconds) and RFC 3339. The zone applies to the formats
    /// of 14 and 17 digits if they name none themselves. The end of a window is read `after` its begin.
    package static func reading(
        _ text: String, after begin: Instant? = nil, zone: Zone = { time, _ in time.instant },
    ) -> Instant? {
        var scanner = DigitScanner(text)
        let digits = scanner.digits()
        switch digits.count {
        case 4 where scanner.next == UInt8(ascii: "-"): return rfc3339(text)
        case 1...11: return seconds(digits, &scanner)
        case 12, 13: return whole(digits, &scanner).map { Instant(milliseconds: $0) }
        case 15, 16: return whole(digits, &scanner).map { Instant(microseconds: $0) }
        case 14, 17: return compact(digits, &scanner) { zone($0, begin) }
        default: return nil
        }
    }

    private static func seconds(_ digits: ArraySlice<UInt8>, _ scanner: inout DigitScanner) -> Instant? {
        guard let seconds = DigitScanner.number(digits), let fraction = scanner.fraction(), scanner.isAtEnd
        else {
            return nil
        }
        return Instant(seconds: seconds) + fraction
    }

    private static func whole(_ digits: ArraySlice<UInt8>, _ scanner: inout DigitScanner) -> Int64? {
        scanner.isAtEnd ? DigitScanner.number(digits) : nil
    }

    /// `yyyyMMddHHmmss` with optional milliseconds and zone.
    private static func compact(
        _ digits: ArraySlice<UInt8>, _ scanner: inout DigitScanner, _ zone: (CivilTime) -> Instant?,
    ) -> Instant? {
        var fields = DigitScanner(digits)
        guard let civil = fields.civilTime(dateMark: nil, clockMark: nil, between: []) else { return nil }
        var time = civil
        if digits.count == 17 { time.microsecond = (fields.number(ofDigits: 3) ?? 0) * 1000 }
        if scanner.isAtEnd { return zone(time) }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        return time.instant.map { $0 - offset }
    }

    /// `yyyy-MM-ddTHH:mm:ss[.fraction]` with `Z` or an offset (RFC 3339 §5.6), also with `000` behind it.
    private static func rfc3339(_ text: String) -> Instant? {
        var scanner = DigitScanner(text)
        let separators = [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")]
        guard
            let time = scanner.civilTime(
                dateMark: UInt8(ascii: "-"), clockMark: UInt8(ascii: ":"), between: separators),
            let instant = time.instant, let fraction = scanner.fraction(), let offset = scanner.offset()
        else { return nil }
        // Templates append `000` to a placeholder for seconds, which some players fill with such a time.
        _ = scanner.skip(word: "000")
        guard scanner.isAtEnd else { return nil }
        return instant + fraction - offset
    }
}

extension DigitScanner {
    /// Date and time of day, with or without separators.
    fileprivate mutating func civilTime(dateMark: UInt8?, clockMark: UInt8?, between: [UInt8]) -> CivilTime? {
        guard let year = number(ofDigits: 4), skip(dateMark), let month = number(ofDigits: 2), skip(dateMark),
            let day = number(ofDigits: 2), between.isEmpty || skip(anyOf: between),
            let hour = number(ofDigits: 2), skip(clockMark), let minute = number(ofDigits: 2),
            skip(clockMark),
            let second = number(ofDigits: 2)
        else { return nil }
        return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// `Z`, `GMT`, `UTC` or `±hh:mm` as microseconds east of Greenwich.
    ///
    /// A plus sign may have been decoded as a space.
    fileprivate mutating func offset() -> Int64? {
        for word in ["Z", "z", "GMT", "UTC"] where skip(word: word) { return 0 }
        let isWest = next == UInt8(ascii: "-")
        guard skip(anyOf: [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: " ")]),
            let hours = number(ofDigits: 2), hours < 24
        else { return nil }
        _ = skip(anyOf: [UInt8(ascii: ":")])
        guard let minutes = number(ofDigits: 2), minutes < 60 else { return nil }
        let offset = Int64(hours * 3600 + minutes * 60) * Microseconds.perSecond
        return isWest ? -offset : offset
    }
}
