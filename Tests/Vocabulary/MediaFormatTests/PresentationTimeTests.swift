import MediaFormat
import Testing

struct PresentationTimeTests {
    static let end: UInt64 = 1 << 33

    @Test(
        "Differences go the short way round",
        arguments: [
            (0, 0, 0), (900, 0, 900), (0, 900, -900), (100, end - 100, 200), (end - 100, 100, -200),
            ((1 << 32) - 1, 0, (1 << 32) - 1), (1 << 32, 0, -(1 << 32)), (UInt64.max, 0, -1),
        ] as [(UInt64, UInt64, Int64)])
    func difference(later: UInt64, earlier: UInt64, ticks: Int64) {
        #expect(PresentationTime.difference(later, earlier) == ticks)
    }

    @Test(
        "A value is unwrapped nearest to what is known",
        arguments: [
            (100, 8_589_934_500, 8_589_934_692), (8_589_934_500, 8_589_934_692, 8_589_934_500), (0, 0, 0),
            (5, 3 * 8_589_934_592, 3 * 8_589_934_592 + 5), (8_589_934_591, 0, -1), (3, -1, 3),
        ] as [(UInt64, Int64, Int64)])
    func unwrapped(value: UInt64, reference: Int64, expected: Int64) {
        #expect(PresentationTime.unwrapped(value, near: reference) == expected)
    }
}
