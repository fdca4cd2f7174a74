/// An instant of wall-clock time: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// It is public so that the compiler inlines it into loops over the segments of a day; it does not inline
/// `package` code into other modules.
public struct Instant: Hashable, Sendable, Codable, Comparable {
    public var microseconds: Int64

    @inlinable public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package init(milliseconds: Int64) {
        microseconds = milliseconds.multipliedReportingOverflow(by: 1000).partialValue
    }

    package init(seconds: Int64) {
        self.init(milliseconds: seconds.multipliedReportingOverflow(by: 1000).partialValue)
    }

    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }

    /// Milliseconds since 1970, rounded down.
    @inlinable public var milliseconds: Int64 {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    @inlinable public static func < (a: Instant, b: Instant) -> Bool {
        a.microseconds < b.microseconds
    }

    // The library's own, which follow from the first, are not compiled for this type.
    @inlinable public static func > (a: Instant, b: Instant) -> Bool { b < a }
    @inlinable public static func <= (a: Instant, b: Instant) -> Bool { !(b < a) }
    @inlinable public static func >= (a: Instant, b: Instant) -> Bool { !(a < b) }

    /// Adds microseconds; the result is limited to the range of the type instead of overflowing.
    @inlinable public static func + (a: Instant, microseconds: Int64) -> Instant {
        let (sum, overflow) = a.microseconds.addingReportingOverflow(microseconds)
        return Instant(microseconds: overflow ? (microseconds < 0 ? .min : .max) : sum)
    }

    @inlinable public static func - (a: Instant, microseconds: Int64) -> Instant {
        a + (microseconds == .min ? .max : -microseconds)
    }

    /// The distance from `b` to `a` in microseconds, positive if `a` is later.
    @inlinable public static func - (a: Instant, b: Instant) -> Int64 {
        let (difference, overflow) = a.microseconds.subtractingReportingOverflow(b.microseconds)
        return overflow ? (a > b ? .max : .min) : difference
    }
}

/// Conversions of microseconds, the unit of all durations in this program.
public enum Microseconds {
    @inlinable public static var perSecond: Int64 { 1_000_000 }
    @inlinable public static var perMillisecond: Int64 { 1000 }

    package static func seconds(_ microseconds: Int64) -> Double {
        Double(microseconds) / 1_000_000
    }
}

extension Duration {
    /// Whole microseconds, rounded towards zero.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * Microseconds.perSecond + attoseconds / 1_000_000_000_000
    }
}
