import Testing

@testable import HLS

struct InstantTextTests {
    static let years = ReadingLimits.standard.years

    /// 2026-03-01T12:00:00Z: day 20,513.
    static let noon: Int64 = (20_513 * 86_400 + 43_200) * 1_000_000

    static let forms: [(String, Int64)] = [
        ("2026-03-01T12:00:00Z", noon),
        ("2026-03-01T12:00:00z", noon),
        ("2026-03-01t12:00:00.000Z", noon),
        ("2026-03-01 12:00:00Z", noon),
        ("2026-03-01T12:00Z", noon),
        ("2026-03-01T12:00:00", noon),
        ("2026-03-01T13:30:00+01:30", noon),
        ("2026-03-01T13:30:00+0130", noon),
        ("2026-03-01T04:00:00-08", noon),
        ("2026-03-01T12:00:00+0000", noon),
        ("2026-03-01T12:00:00.123456789Z", noon + 123_457),
        ("2026-03-01T12:00:00,5Z", noon + 500_000),
        ("2026-03-01T11:59:60Z", noon),
        ("2026-03-01T24:00:00Z", noon + 43_200_000_000),
        ("1970-01-01T00:00:00Z", 0),
        ("2024-02-29T00:00:00Z", 19_782 * 86_400_000_000),
        ("2999-12-31T23:59:59.999Z", 32_503_679_999_999_000),
    ]

    @Test("All forms of dates that origins write", arguments: forms)
    func form(text: String, expected: Int64) {
        #expect(InstantText.reading(Array(text.utf8)[...], years: Self.years)?.microseconds == expected)
    }

    @Test(
        "Text that is not a date, or is outside the allowed years, gives nil",
        arguments: [
            "", "now", "2026-03-01", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-03-01T25:00:00Z", "2026-03-01T24:00:01Z", "2026-03-01T12:60:00Z", "2026-03-01T12:00:61Z",
            "2026-03-01T12:00:00+25:00", "2026-03-01T12:00:00Zulu", "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z", "20260301T120000Z", "2026-03-01T12:00:00+01:",
        ])
    func absurdity(text: String) {
        #expect(InstantText.reading(Array(text.utf8)[...], years: Self.years) == nil)
    }

    @Test("A missing zone and a leap second are noted")
    func deviations() {
        let text = InstantText.reading(Array("2026-03-01T11:59:60".utf8)[...], years: Self.years)
        #expect(text?.deviations == [.leapSecond, .dateWithoutZone])
    }
}
