/// A time inside the media, in the media's own timescale.
package struct MediaTimestamp: Hashable, Sendable {
    package let value: UInt64
    /// Units per second; at least 1.
    package let timescale: UInt32
    /// Whether the value wraps to 0 after 2³³ − 1, as MPEG's does (26.5 hours at 90 kHz).
    package let wraps: Bool

    /// A PTS of MPEG: 33 bits at 90 kHz.
    ///
    /// Higher bits are dropped.
    package init(mpeg value: UInt64) {
        self.value = value & PresentationTime.mask
        timescale = PresentationTime.timescale
        wraps = true
    }

    /// A decode time of a track; nil when the track's timescale is 0.
    package init?(track value: UInt64, timescale: UInt32) {
        guard timescale > 0 else { return nil }
        self.value = value
        self.timescale = timescale
        wraps = false
    }

    /// The same time in MPEG's 90 kHz, but not cut to 33 bits; nil beyond 63 bits.
    package var mpegTicks: Int64? { Self.rescaled(value, timescale, to: UInt64(PresentationTime.timescale)) }

    /// The time since `earlier`, negative if that is later; nil for different timescales.
    package func microseconds(since earlier: MediaTimestamp) -> Int64? {
        guard timescale == earlier.timescale, wraps == earlier.wraps else { return nil }
        if wraps {
            let ticks = PresentationTime.difference(value, earlier.value)
            let length = Self.microseconds(ticks.magnitude, timescale)
            return ticks < 0 ? length.map { -$0 } : length
        }
        let (low, high) = (min(value, earlier.value), max(value, earlier.value))
        let length = Self.microseconds(high - low, timescale)
        return value < earlier.value ? length.map { -$0 } : length
    }

    /// Nil when the result exceeds 63 bits or the timescale is 0.
    static func microseconds(_ ticks: UInt64, _ timescale: UInt32) -> Int64? {
        rescaled(ticks, timescale, to: 1_000_000)
    }

    private static func rescaled(_ ticks: UInt64, _ timescale: UInt32, to units: UInt64) -> Int64? {
        guard timescale > 0 else { return nil }
        let product = ticks.multipliedFullWidth(by: units)
        guard product.high < UInt64(timescale) else { return nil }
        return Int64(exactly: UInt64(timescale).dividingFullWidth(product).quotient)
    }
}
