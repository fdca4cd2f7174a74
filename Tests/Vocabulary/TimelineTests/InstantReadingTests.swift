import Testing
import Timeline

struct InstantReadingTests {
    @Test(
        "The number of digits selects the format",
        arguments: [
            ("1469509516", 1_469_509_516_000_000), ("1469509516.25", 1_469_509_516_250_000),
            ("1469509516.1234567", 1_469_509_516_123_456), ("0", 0), ("99999999999", 99_999_999_999_000_000),
            ("1469509516000", 1_469_509_516_000_000), ("999999999999", 999_999_999_999_000),
            ("1469509516000001", 1_469_509_516_000_001), ("146950951600001", 146_950_951_600_001),
            ("20160726050516", 1_469_509_516_000_000), ("20160726050516250", 1_469_509_516_250_000),
            ("2016-07-26T05:05:16Z", 1_469_509_516_000_000),
            ("2016-07-26t05:05:16.25z", 1_469_509_516_250_000),
            ("2016-07-26T07:05:16+02:00", 1_469_509_516_000_000),
            ("2016-07-26T07:05:16 02:00", 1_469_509_516_000_000),
            ("2016-07-26T00:35:16-0430", 1_469_509_516_000_000),
            ("2016-07-26 05:05:16Z", 1_469_509_516_000_000),
            // Behind a placeholder that stands for such a time a template has three more digits.
            ("2016-07-26T05:05:16Z000", 1_469_509_516_000_000),
            ("2016-07-26T05:05:16.250Z000", 1_469_509_516_250_000),
            ("2016-07-26T07:05:16+02:00000", 1_469_509_516_000_000),
            ("20160726050516Z", 1_469_509_516_000_000), ("20160726050516GMT", 1_469_509_516_000_000),
            ("20160726130516+08:00", 1_469_509_516_000_000), ("20160726130516 0800", 1_469_509_516_000_000),
        ])
    func forms(text: String, microseconds: Int64) {
        #expect(InstantReading.reading(text) == Instant(microseconds: microseconds))
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "now", "-1", "+1469509516", " 1469509516", "1469509516 ", "1469509516.", "1469509516000.5",
            "12345678901234567890", "146950951600000000", "20161326050516", "20160230050516",
            "20160726250516",
            "2016-07-26", "2016-07-26T05:05:16", "2016-07-26T05:05:16+25:00", "2016-7-26T05:05:16Z",
            "20160726050516X", "20160726050516+", "1e9", "٣٤٥", "2016-07-26T05:05:16ZZ",
            "2016-07-26T05:05:16Z00", "2016-07-26T05:05:16Z0000", "2016-07-26T05:05:16Z001",
        ])
    func refused(text: String) {
        #expect(InstantReading.reading(text) == nil)
    }

    @Test("Only times without a zone are read in the channel's time zone")
    func zone() {
        let zone: InstantReading.Zone = { time, _ in time.instant.map { $0 - 3_600_000_000 } }
        let hourBefore = Instant(seconds: 1_469_509_516 - 3600)
        #expect(InstantReading.reading("20160726050516", zone: zone) == hourBefore)
        #expect(InstantReading.reading("20160726050516000", zone: zone) == hourBefore)
        #expect(InstantReading.reading("20160726050516Z", zone: zone) == Instant(seconds: 1_469_509_516))
        #expect(InstantReading.reading("1469509516", zone: zone) == Instant(seconds: 1_469_509_516))
    }

    @Test("A time that does not exist in the zone is refused")
    func noSuchTime() {
        #expect(InstantReading.reading("20160726050516") { _, _ in nil } == nil)
    }
}
