import Testing
import Timeline

struct InstantTextTests {
    @Test(
        "An instant is written as RFC 3339 with milliseconds",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ])
    func rfc3339(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).rfc3339 == text)
    }

    @Test("An instant has three text formats")
    func spellings() {
        let instant = Instant(microseconds: 1_469_509_516_007_999)
        #expect(instant.rfc3339 == "2016-07-26T05:05:16.007Z")
        #expect(instant.dateText == "2016-07-26")
        #expect(instant.hourText == "05")
        #expect(instant.compactText == "20160726T050516Z")
    }
}
