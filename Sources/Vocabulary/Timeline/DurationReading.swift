/// Reads durations in URLs.
package enum DurationReading {
    /// Reads a number of seconds, with decimals allowed, or an ISO 8601 duration of weeks, days, hours,
    /// minutes and seconds.
    ///
    /// - Returns: microseconds; nil for anything else, for values that are too large, and for years and
    ///   months, whose length varies
    package static func microseconds(reading text: String) -> Int64? {
        var scanner = DigitScanner(text)
        if scanner.skip(anyOf: [UInt8(ascii: "P"), UInt8(ascii: "p")]) { return iso8601(&scanner) }
        guard let amount = amount(&scanner), scanner.isAtEnd else { return nil }
        return scaled(amount, by: 1)
    }

    /// The units before and after `T` in their required order, in seconds.
    private static let dateUnits: [(UInt8, Int64)] = [
        (UInt8(ascii: "W"), 604_800), (UInt8(ascii: "D"), 86_400),
    ]
    private static let timeUnits: [(UInt8, Int64)] = [
        (UInt8(ascii: "H"), 3600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1),
    ]

    private static func iso8601(_ scanner: inout DigitScanner) -> Int64? {
        var total: Int64 = 0
        var count = 0
        guard add(dateUnits, from: &scanner, to: &total, &count) else { return nil }
        if scanner.skip(anyOf: [UInt8(ascii: "T"), UInt8(ascii: "t")]) {
            let before = count
            guard add(timeUnits, from: &scanner, to: &total, &count), count > before else { return nil }
        }
        return count > 0 && scanner.isAtEnd ? total : nil
    }

    /// Adds up amounts with their units; returns false if one is out of order, malformed or too large.
    private static func add(
        _ units: [(UInt8, Int64)], from scanner: inout DigitScanner, to total: inout Int64, _ count: inout Int,
    ) -> Bool {
        var rest = units[...]
        while let next = scanner.next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
            guard let amount = amount(&scanner), let mark = scanner.next,
                let index = rest.firstIndex(where: { $0.0 == mark & 0xDF }), scanner.skip(mark),
                let part = scaled(amount, by: rest[index].1)
            else { return false }
            let (sum, overflow) = total.addingReportingOverflow(part)
            if overflow { return false }
            total = sum
            count += 1
            rest = rest[(index + 1)...]
        }
        return true
    }

    private static func amount(_ scanner: inout DigitScanner) -> (whole: Int64, fraction: Int64)? {
        guard let whole = DigitScanner.number(scanner.digits()), let fraction = scanner.fraction() else {
            return nil
        }
        return (whole, fraction)
    }

    private static func scaled(_ amount: (whole: Int64, fraction: Int64), by seconds: Int64) -> Int64? {
        let (whole, overflow) = amount.whole.multipliedReportingOverflow(by: seconds * Microseconds.perSecond)
        let (sum, carried) = whole.addingReportingOverflow(amount.fraction * seconds)
        return overflow || carried ? nil : sum
    }
}
