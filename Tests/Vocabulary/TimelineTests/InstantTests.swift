import Testing
import Timeline

struct InstantTests {
    @Test("Arithmetic stays at the end of the range instead of overflowing")
    func saturation() {
        let (first, last) = (Instant(microseconds: .min), Instant(microseconds: .max))
        #expect(last + 1 == last)
        #expect(first + -1 == first)
        #expect(first - 1 == first)
        #expect(last - first == .max)
        #expect(first - last == .min)
        #expect(last - Int64.min == last)
    }

    @Test(
        "Milliseconds are rounded down, before 1970 too",
        arguments: [(1999, 1), (-1, -1), (-1000, -1), (0, 0)])
    func milliseconds(microseconds: Int64, milliseconds: Int64) {
        #expect(Instant(microseconds: microseconds).milliseconds == milliseconds)
    }
}
