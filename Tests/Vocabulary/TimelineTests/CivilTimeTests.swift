import Testing
import Timeline

struct CivilTimeTests {
    private static let pairs: [(CivilTime, Int64)] = [
        (CivilTime(year: 1970, month: 1, day: 1), 0),
        (CivilTime(year: 2000, month: 2, day: 29), 951_782_400),
        (CivilTime(year: 2016, month: 7, day: 26, hour: 5, minute: 5, second: 16), 1_469_509_516),
        (CivilTime(year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 59), -1),
        (CivilTime(year: 1600, month: 3, day: 1), -11_670_912_000),
        (CivilTime(year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59), 253_402_300_799),
    ]

    @Test(
        "Civil time and instant are inverse, before 1970 and around leap days too",
        arguments: Self.pairs)
    func inverse(time: CivilTime, seconds: Int64) {
        #expect(time.instant == Instant(seconds: seconds))
        #expect(CivilTime(Instant(seconds: seconds)) == time)
    }

    @Test("Each day of four centuries follows the previous one")
    func days() {
        var last = CivilTime(Instant(seconds: -13_000_000_000))
        for day in 1...146_097 {
            let instant = Instant(seconds: -13_000_000_000 + Int64(day) * 86_400)
            let time = CivilTime(instant)
            let follows =
                time.day == last.day + 1 && time.month == last.month && time.year == last.year
                || time.day == 1 && time.month == last.month + 1 && time.year == last.year
                || time.day == 1 && time.month == 1 && time.year == last.year + 1 && last.month == 12
            if !follows || time.instant != instant { Issue.record("\(last) is followed by \(time)") }
            last = time
        }
    }

    @Test(
        "A field out of range gives no instant",
        arguments: [
            CivilTime(year: 2015, month: 2, day: 29), CivilTime(year: 1900, month: 2, day: 29),
            CivilTime(year: 2016, month: 4, day: 31), CivilTime(year: 2016, month: 13, day: 1),
            CivilTime(year: 2016, month: 0, day: 1), CivilTime(year: 2016, month: 1, day: 0),
            CivilTime(year: 2016, month: 1, day: 1, hour: 24),
            CivilTime(year: 2016, month: 1, day: 1, minute: 60),
            CivilTime(year: 2016, month: 1, day: 1, second: 61), CivilTime(year: 10_000, month: 1, day: 1),
        ])
    func refused(time: CivilTime) {
        #expect(time.instant == nil)
    }

    @Test("A leap second counts as the second before it")
    func leapSecond() {
        let leap = CivilTime(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
        #expect(leap.instant == Instant(seconds: 1_483_228_799))
    }
}
