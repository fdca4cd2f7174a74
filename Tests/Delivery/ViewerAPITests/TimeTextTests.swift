import Testing
import Timeline

@testable import ViewerAPI

struct TimeTextTests {
    @Test(
        "A header field has an instant without loss: milliseconds, or microseconds where those are not exact",
        arguments: [
            (Int64(1_469_509_516_000_000), "2016-07-26T05:05:16.000Z"),
            (1_469_509_516_007_000, "2016-07-26T05:05:16.007Z"),
            (1_469_509_516_007_001, "2016-07-26T05:05:16.007001Z"),
            (1_469_509_516_999_999, "2016-07-26T05:05:16.999999Z"),
            (1_469_509_516_000_040, "2016-07-26T05:05:16.000040Z"),
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (-1000, "1969-12-31T23:59:59.999Z"),
        ])
    func exact(microseconds: Int64, text: String) {
        let instant = Instant(microseconds: microseconds)
        #expect(instant.exactRFC3339 == text)
        let window = TimeWindow(begin: instant, end: instant + 60_000_000)
        #expect(window.exactText == text + "/" + window.end.exactRFC3339)
    }
}
