import Testing
import Timeline

struct InstantTextTests {
    @Test("An instant has three spellings")
    func spellings() {
        let instant = Instant(microseconds: 1_469_509_516_007_999)
        #expect(instant.rfc3339 == "2016-07-26T05:05:16.007Z")
        #expect(instant.dateText == "2016-07-26")
        #expect(instant.hourText == "05")
        #expect(instant.compactText == "20160726T050516Z")
    }
}
