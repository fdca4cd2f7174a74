/// The decimal digits of numbers below a hundred million, made all at once.
enum EightDigits {
    private static var zeros: UInt64 { 0x3030_3030_3030_3030 }

    /// All eight as ASCII, the first in the lowest byte.
    ///
    /// The number is divided by 10,000, then both parts by 100, and all four by 10. 10486 / 2^20 is a little
    /// more than 1 / 100, exact enough below 10,000, and 103 / 2^10 a little more than 1 / 10, exact enough
    /// below 100.
    @inline(__always)
    static func text(_ value: UInt64) -> UInt64 {
        let (high, low) = value.quotientAndRemainder(dividingBy: 10_000)
        var parts = high | low << 32
        let hundreds = (parts &* 10_486) >> 20 & 0x0000_007F_0000_007F
        parts = hundreds | (parts &- hundreds &* 100) << 16
        let tens = (parts &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (parts &- tens &* 10) << 8 | zeros
    }

    /// How many there are in a text without leading zeros, at least one.
    @inline(__always)
    static func count(in text: UInt64) -> Int {
        8 - min(7, (text ^ zeros).trailingZeroBitCount / 8)
    }
}
