import MediaFormat
import Testing

struct PresentationTimeTests {
    static let end: UInt64 = 1 << 33

    @Test(
        "Differences go in the shorter direction",
        arguments: [
            (0, 0, 0), (900, 0, 900), (0, 900, -900), (100, end - 100, 200), (end - 100, 100, -200),
            ((1 << 32) - 1, 0, (1 << 32) - 1), (1 << 32, 0, -(1 << 32)), (UInt64.max, 0, -1),
        ] as [(UInt64, UInt64, Int64)])
    func difference(later: UInt64, earlier: UInt64, ticks: Int64) {
        #expect(PresentationTime.difference(later, earlier) == ticks)
    }
}
