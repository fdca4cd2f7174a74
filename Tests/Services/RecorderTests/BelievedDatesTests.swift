import Testing
import Timeline

@testable import Recorder

@Suite("Which dates of a source are believed")
struct BelievedDatesTests {
    @Test(
        "Dates off by more than an hour, or by less than a zone, are replaced by arrival",
        arguments: [3_700.0, -4_000, 88_400, -88_000, 1e9, -1e9, 259_200])
    func implausible(offset: Double) {
        var stage = PlacingStage()
        stage.place([100 + offset, 106 + offset], arrival: 112)
        #expect(stage.starts == [100, 106])
        #expect(stage.placing.clock == .arrival)
        #expect(stage.placing.dateRejection != nil)
    }

    @Test(
        "Dates off by less than an hour that are in no other zone are taken", arguments: [590.0, -450, 2_900])
    func plausible(offset: Double) {
        var stage = PlacingStage()
        stage.place([100 + offset], arrival: 106)
        #expect(stage.starts == [100 + offset])
        #expect(stage.placing.zone == 0)
    }

    @Test("Dates are believed that lie anywhere in the time that an answer took, behind a pause, too")
    func slowAnswer() {
        let target = 3 * seconds
        func entries(_ first: Double) -> [TimePlacing.Entry] {
            (0..<3).map {
                TimePlacing.Entry(duration: 2 * seconds, programDateTime: at(first + Double($0) * 2))
            }
        }
        var placing = TimePlacing(choice: .auto)
        _ = placing.place(entries(1000), arrival: arrived(1006), target: target)
        placing.startRun()
        // The list was made when the request came, and its answer took twelve seconds.
        var later = entries(1018)
        later[0].opensHole = true
        var arrival = arrived(1036)
        arrival.responseTime = 12 * seconds
        let placed = placing.place(later, arrival: arrival, target: target)
        #expect(placed.map(\.start) == [at(1018), at(1020), at(1022)])
        #expect(placing.clock == .source && placing.dateRejection == nil)
    }

    @Test(
        "Dates in a wrong zone keep their precision, and are corrected by whole quarters of an hour",
        arguments: [28_800.0, -28_800, 20_700, -3_600, 900, 50_400, -43_200], [-290.0, -3.25, 0, 55])
    func zone(zone: Double, late: Double) {
        var stage = PlacingStage()
        stage.place([100 + zone + late, 106 + zone + late], arrival: 112)
        stage.place([112 + zone + late], arrival: 119)
        stage.place([300 + zone + late], arrival: 306)
        #expect(stage.starts == [100 + late, 106 + late, 112 + late, 300 + late])
        #expect(stage.placing.zone == Int64(zone) * seconds)
        #expect(stage.placing.clock == .source)
        #expect(stage.placing.dateRejection == nil)
    }

    /// Local time is written as UTC, and the source is away for about as long as the two differ.
    @Test("A known zone stays known behind a pause of its length", arguments: [-4.0, 0, 4, 120, 590])
    func pauseOfZone(longer: Double) {
        var stage = PlacingStage()
        stage.place([100 - 18_000, 106 - 18_000], arrival: 112)
        #expect(stage.placing.zone == -18_000 * seconds)
        stage.placing.startRun()
        let first = 112 + 18_000 + longer
        let entries = [first - 18_000, first - 17_994].map {
            TimePlacing.Entry(duration: stage.target, programDateTime: at($0))
        }
        let covered = stage.placing.coveredCount(
            entries, arrival: arrived(first + 12), target: stage.target, byDates: false)
        #expect(covered == 0)
        stage.place([first - 18_000, first - 17_994], arrival: first + 12, opensHole: true)
        #expect(stage.last == first + 6)
        #expect(stage.placing.zone == -18_000 * seconds && stage.placing.clock == .source)
    }

    @Test("What a zone does not explain within five minutes before and one after is not corrected")
    func noZone() {
        for late in [-310.0, 70] {
            var stage = PlacingStage()
            stage.place([100 + 28_800 + late], arrival: 106)
            #expect(stage.starts == [100])
            #expect(stage.placing.zone == 0)
        }
    }

    @Test(
        "The choice of the source's clock takes its dates as they are",
        arguments: [28_800.0, -5_000, 172_800])
    func chosenSource(offset: Double) {
        var stage = PlacingStage(.source)
        stage.place([100 + offset], arrival: 106)
        #expect(stage.starts == [100 + offset])
        #expect(stage.placing.zone == 0)
    }

    @Test(
        "Dates that go on where the timeline ends are believed whatever arrival says",
        arguments: [-1e6, 28_800, 1e6])
    func continuity(offset: Double) {
        var stage = PlacingStage(end: 100)
        stage.place([100, 106], arrival: 112 + offset, opensHole: true)
        stage.place([112], arrival: 118 + offset)
        #expect(stage.starts == [100, 106, 112])
        #expect(stage.placing.clock == .source)
        #expect(stage.placing.zone == 0)
    }

    /// The host began with a wrong clock, and PostgreSQL on it has the same.
    @Test(
        "Dates that go on some minutes behind the timeline's end show that the clock of arrival is wrong",
        arguments: [-172_800.0, -28_800, -1_800, 1_800, 28_800, 172_800], [120.0, 590])
    func wrongHostClock(error: Double, outage: Double) {
        let first = 100 + outage
        var stage = PlacingStage(end: 100)
        stage.place([first, first + 6], arrival: first + 12 + error, opensHole: true)
        stage.place([first + 12], arrival: first + 18 + error)
        #expect(stage.starts == [first, first + 6, first + 12])
        #expect(stage.placing.zone == 0)
        #expect(stage.placing.clock == .source && stage.placing.dateRejection == nil)
    }

    @Test(
        "Behind a source whose dates were ahead of arrival, others lose nothing new and repeat nothing",
        arguments: [480.0, 1_300], [0.0, 12])
    func aheadOfArrival(error: Double, latency: Double) {
        func covered(_ stage: PlacingStage, _ dates: [Double], arrival: Double) -> Int {
            let entries = dates.map { TimePlacing.Entry(duration: 6 * seconds, programDateTime: at($0)) }
            return stage.placing.coveredCount(
                entries, arrival: arrived(arrival + latency), target: stage.target, byDates: false)
        }
        var stage = PlacingStage()
        stage.place([100 + error, 106 + error], arrival: 112 + latency)
        stage.placing.startRun()
        #expect(covered(stage, [106, 112], arrival: 118) == 1)
        stage.place([112], arrival: 118 + latency, opensHole: true)
        #expect(stage.last == 112 + error)
        stage.placing.startRun()
        #expect(covered(stage, [112, 118], arrival: 124) == 1)
        // The first source again, which lists what came of the other one.
        #expect(covered(stage, [106, 112, 118].map { $0 + error }, arrival: 124) == 2)
    }

    @Test("After a start on a timeline ahead of now, a long list of another source is not recorded again")
    func aheadAfterStart() {
        let stage = PlacingStage(end: 700)
        let entries = (0..<100).map {
            TimePlacing.Entry(duration: 6 * seconds, programDateTime: at(Double($0) * 6))
        }
        let covered = stage.placing.coveredCount(
            entries, arrival: arrived(606), target: stage.target, byDates: false)
        #expect((80..<100).contains(covered))
    }

    @Test("A source behind a delay lists what is recorded already")
    func behindDelay() {
        var stage = PlacingStage()
        stage.place([600, 606], arrival: 618)
        stage.placing.startRun()
        let old = [306.0, 312].map {
            TimePlacing.Entry(duration: 6 * seconds, programDateTime: at($0))
        }
        let covered = stage.placing.coveredCount(
            old, arrival: arrived(624), target: stage.target, byDates: false)
        #expect(covered == 2)
    }

    @Test("Another source that goes on there loses nothing by a wrong clock", arguments: [-28_800.0, 28_800])
    func wrongHostClockElsewhere(error: Double) {
        let stage = PlacingStage(end: 100)
        let entries = (0..<3).map {
            TimePlacing.Entry(duration: stage.target, programDateTime: at(220 + Double($0) * 6))
        }
        let count = stage.placing.coveredCount(
            entries, arrival: arrived(238 + error), target: stage.target, byDates: false)
        #expect(count == 0)
    }

    /// Its list of an hour begins by these dates where the timeline ends, and by arrival an hour before.
    @Test("A long list that begins there by chance is in a wrong zone, or off", arguments: [3_600.0, 3_720])
    func longListInZone(zone: Double) {
        var stage = PlacingStage(end: 4_000)
        let first = 4_000 - 3_600 + zone + 30
        stage.place((0..<600).map { first + Double($0) * 6 }, arrival: 4_030, opensHole: true)
        #expect(stage.placing.zone == (zone == 3_600 ? 3_600 * seconds : 0))
        #expect((stage.placing.clock == .source) == (zone == 3_600))
    }

    @Test("One wrong date does not end the use of those behind it", arguments: [86_400.0, -3_600, 900])
    func oneWrongDate(error: Double) {
        var stage = PlacingStage()
        for index in 0..<20 {
            let date = 100 + Double(index) * 6
            // Arrival wavers; dates do not.
            stage.place([index == 3 ? date + error : date], arrival: date + 7 + Double(index % 3))
            if index == 3 { #expect(stage.placing.dateRejection != nil) }
        }
        #expect(stage.placing.clock == .source)
        #expect(stage.placing.dateRejection == nil)
        #expect(stage.steps.isEmpty)
        #expect(stage.starts.suffix(8) == (12..<20).map { 100 + Double($0) * 6 })
    }

    @Test("Dates that stand still, or that go on elsewhere, are not used again")
    func wrongDatesStay() {
        for wrong: (Int) -> Double in [{ _ in 118 }, { 100 + 900 + Double($0) * 6 }] {
            var stage = PlacingStage()
            for index in 0..<30 {
                let date = 100 + Double(index) * 6
                stage.place([index < 3 ? date : wrong(index)], arrival: date + 6)
            }
            #expect(stage.placing.clock == .arrival)
            #expect(abs(stage.last - 274) < 1)
        }
    }

    @Test(
        "When the clock of arrival is set, dates stay believed across a stall",
        arguments: [30.0, -28_800, 172_800])
    func clockMoved(step: Double) {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.placing.clockMoved(by: Int64(step) * seconds)
        stage.place([106], arrival: 112 + step)
        stage.place([706], arrival: 712 + step)
        #expect(stage.starts == [100, 106, 706])
        #expect(stage.placing.clock == .source)
    }

    /// A source of the same media takes over, while its playlist of four goes two segments beyond what is
    /// recorded.
    @Test(
        "When the clock of arrival is set, another source loses nothing that is not recorded",
        arguments: [-3_600.0, -600, 600], [true, false])
    func clockMovedBefore(step: Double, isDated: Bool) {
        var stage = PlacingStage()
        let date = { (index: Int) in isDated ? 100 + Double(index) * 6 : nil }
        stage.place((0..<10).map(date), arrival: 160)
        stage.placing.clockMoved(by: Int64(step) * seconds)
        stage.place([date(10)], arrival: 166 + step)
        stage.placing.startRun()
        let entries = (9..<13).map {
            TimePlacing.Entry(duration: stage.target, programDateTime: date($0).map { at($0) })
        }
        let count = stage.placing.coveredCount(
            entries, arrival: arrived(178 + step), target: stage.target, byDates: false)
        #expect(count == 2)
    }
}
