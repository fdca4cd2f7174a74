import Testing
import Timeline

struct SegmentNameTests {
    @Test("A name is the start in milliseconds, with the revision from the second version on")
    func names() {
        let start = Instant(microseconds: 1_469_509_516_000_999)
        let first = SegmentName(start: start, revision: 0, fileExtension: .transportStream)
        #expect(first.description == "1469509516000.ts")
        #expect(first.path == "2016-07-26/05/1469509516000.ts")
        let second = SegmentName(start: start, revision: 2, fileExtension: .webVTT)
        #expect(second.description == "1469509516000-2.vtt")
        #expect(SegmentName("1469509516000.ts") == first)
        #expect(SegmentName("1469509516000-2.vtt") == second)
    }

    @Test(
        "It has one spelling",
        arguments: [
            "", ".ts", "1469509516000", "1469509516000.mp4", "01469509516000.ts", "+1469509516000.ts",
            "-5.ts",
            "1469509516000-0.ts", "1469509516000-01.ts", "1469509516000--1.ts", "1469509516000-40000.ts",
            "1469509516000.ts.ts", "1469509516000.TS", "99999999999999999999.ts", "../1.ts",
            "1469509516000.ts\0", "100000000000000.ts", "1469509516000-.ts", "1469509516000-1",
            "1469509516000-2ts",
        ])
    func refused(text: String) {
        #expect(SegmentName(text) == nil)
    }
}
