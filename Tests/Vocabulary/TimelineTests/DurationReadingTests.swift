import Testing
import Timeline

struct DurationReadingTests {
    @Test(
        "Seconds and ISO 8601",
        arguments: [
            ("0", 0), ("20", 20_000_000), ("20.5", 20_500_000), ("0.0000019", 1), ("PT1H30M", 5_400_000_000),
            ("PT20S", 20_000_000), ("PT0.5S", 500_000), ("PT1,5M", 90_000_000), ("P1D", 86_400_000_000),
            ("P1DT1S", 86_401_000_000), ("P2W", 1_209_600_000_000), ("pt1m", 60_000_000),
        ])
    func forms(text: String, microseconds: Int64) {
        #expect(DurationReading.microseconds(reading: text) == microseconds)
    }

    @Test(
        "Invalid durations are refused",
        arguments: [
            "", "-1", "+1", " 1", "1s", "1e3", "inf", "nan", "1.", ".5", "P", "PT", "P1DT", "PT1S1M",
            "PT1M1M",
            "P1M", "P1Y", "PT1", "P1H", "9223372036855", "99999999999999999999", "P9999999999999W",
            "PT1H30M ", "٣",
        ])
    func refused(text: String) {
        #expect(DurationReading.microseconds(reading: text) == nil)
    }
}
