import Testing
import Timeline

struct CivilDateTests {
    static let known: [(Int64, CivilDate)] = [
        (0, CivilDate(year: 1970, month: 1, day: 1)),
        (-1, CivilDate(year: 1969, month: 12, day: 31)),
        (11_016, CivilDate(year: 2000, month: 2, day: 29)),
        (11_017, CivilDate(year: 2000, month: 3, day: 1)),
        (19_782, CivilDate(year: 2024, month: 2, day: 29)),
        (47_541, CivilDate(year: 2100, month: 3, day: 1)),
        (-719_468, CivilDate(year: 0, month: 3, day: 1)),
    ]

    @Test("Known days have their dates and dates their days", arguments: known)
    func knownDay(days: Int64, date: CivilDate) {
        #expect(CivilDate(daysSince1970: days) == date)
        #expect(date.daysSince1970 == days)
    }

    @Test("Each day of eight centuries is the day after the one before")
    func everyDay() {
        var previous = CivilDate(daysSince1970: -146_098)
        for days in Int64(-146_097)...146_097 {
            let date = CivilDate(daysSince1970: days)
            let isNextDay =
                date.year == previous.year && date.month == previous.month && date.day == previous.day + 1
            let isNextMonth = date.day == 1 && date.daysSince1970 == previous.daysSince1970 + 1
            #expect(date.exists && date.daysSince1970 == days && (isNextDay || isNextMonth))
            previous = date
        }
    }

    @Test(
        "The calendar has no such days",
        arguments: [(2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 0, 1)])
    func noSuchDay(year: Int64, month: Int64, day: Int64) {
        #expect(!CivilDate(year: year, month: month, day: day).exists)
    }
}
