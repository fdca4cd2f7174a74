import HTTP
import Testing

struct HTTPDateTests {
    @Test(
        "The three forms of RFC 9110 §5.6.7 say the same",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(HTTPDate.seconds(reading: text) == 784_111_777)
    }

    @Test(
        "Dates are written as IMF-fixdate",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 GMT"),
            (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func writing(seconds: Int64, text: String) {
        #expect(HTTPDate.fieldValue(seconds: seconds) == text)
        #expect(HTTPDate.seconds(reading: text) == seconds)
    }

    @Test("Dates outside four digits of year become the nearest inside")
    func clamped() {
        #expect(HTTPDate.fieldValue(seconds: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.fieldValue(seconds: .min) == "Mon, 01 Jan 0001 00:00:00 GMT")
    }

    @Test("Every day of five centuries survives")
    func days() {
        for day in stride(from: Int64(-100_000), through: 100_000, by: 1) {
            let seconds = day * 86400 + 12345
            let read = HTTPDate.seconds(reading: HTTPDate.fieldValue(seconds: seconds))
            if read != seconds { Issue.record("\(seconds) became \(String(describing: read))") }
        }
    }

    @Test("A leap second is the first second of the next minute")
    func leapSecond() {
        #expect(HTTPDate.seconds(reading: "Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
    }

    @Test(
        "What is no date is refused",
        arguments: [
            "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 19944 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun, -6 Nov 1994 08:49:37 GMT",
            "784111777",
        ])
    func malformed(text: String) {
        #expect(HTTPDate.seconds(reading: text) == nil)
    }
}
