/// Arithmetic of 33-bit timestamps at 90 kHz (ISO 13818-1 §2.4.3.7), which wrap every 26.5 hours.
package enum PresentationTime {
    /// Ticks per second.
    package static let timescale: UInt32 = 90_000
    package static let mask: UInt64 = (1 << 33) - 1

    /// Ticks from `earlier` to `later` in the shorter direction: −2³² to 2³² − 1.
    package static func difference(_ later: UInt64, _ earlier: UInt64) -> Int64 {
        let forward = Int64((later &- earlier) & mask)
        return forward < 1 << 32 ? forward : forward - 1 << 33
    }
}
