import TestSupport
import Testing
import Timeline

@testable import Recorder

/// One rendition's placing, fed with lists of one or more new segments.
///
/// Times are seconds.
struct PlacingStage {
    var placing: TimePlacing
    var placements: [TimePlacing.Placement] = []
    let target: Int64 = 6 * seconds

    init(_ choice: ClockChoice = .auto, end: Double? = nil) {
        placing = TimePlacing(choice: choice, end: end.map { at($0) })
    }

    /// Places segments of six seconds whose dates are given; nil has none.
    mutating func place(
        _ dates: [Double?], arrival: Double, took responseTime: Double = 0, opensHole: Bool = false,
        confirmsStep: Bool = false, shared: Double? = nil,
    ) {
        let entries = dates.enumerated().map { index, date in
            TimePlacing.Entry(
                duration: target, programDateTime: date.map { at($0) }, opensHole: opensHole && index == 0,
                confirmsStep: confirmsStep && index == 0, sharedStart: shared.map { at($0) })
        }
        placements += placing.place(entries, arrival: arrived(arrival, took: responseTime), target: target)
    }

    var starts: [Double] { placements.map { PublisherStage.seconds($0.start) } }
    var durations: [Double] { placements.map { Double($0.duration) / 1_000_000 } }
    var steps: [Int] { placements.indices.filter { placements[$0].hasStep } }
    var last: Double { starts.last ?? .nan }
}

/// A playlist's arrival at a time, seconds; its answer took so long.
func arrived(_ time: Double, took responseTime: Double = 0) -> Arrival {
    Arrival(date: at(time), steady: moment(time), responseTime: Int64(responseTime * 1_000_000))
}

@Suite("Time placing")
struct TimePlacingTests {
    // MARK: Dates

    @Test("Dates of the source are taken exactly")
    func exact() {
        var stage = PlacingStage()
        stage.place([100, 106, 112], arrival: 120)
        stage.place([118], arrival: 126)
        #expect(stage.starts == [100, 106, 112, 118])
        #expect(stage.durations == [6, 6, 6, 6])
        #expect(stage.steps.isEmpty)
        #expect(stage.placing.clock == .source)
        #expect(stage.placing.dateRejection == nil)
    }

    @Test("Dates that stray by a tenth of a second are left alone", arguments: [0.1, -0.1, 0.033])
    func tolerance(stray: Double) {
        var stage = PlacingStage()
        stage.place([100, 106 + stray], arrival: 112)
        #expect(stage.starts == [100, 106])
        #expect(stage.durations == [6, 6])
    }

    @Test("What strays further is brought back by at most 10 ms a segment, without overlap or hole")
    func slew() {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        for index in 1...100 {
            stage.place([100 + Double(index) * 6 + 0.5], arrival: 106 + Double(index) * 6)
        }
        #expect(stage.durations.allSatisfy { abs($0 - 6) <= 0.010_000_1 })
        #expect(stage.steps.isEmpty)
        #expect(stage.placing.clock == .source)
        #expect(abs(stage.last - 700.5) <= 0.11)
        #expect(
            zip(stage.placements, stage.placements.dropFirst()).allSatisfy {
                $0.start + $0.duration == $1.start
            })
    }

    @Test("A stall that dates and arrival both show is a hole", arguments: [13.0, 60, 7200])
    func stall(length: Double) {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([106 + length], arrival: 112 + length)
        #expect(stage.starts == [100, 106 + length])
        #expect(stage.steps == [1])
        #expect(stage.placing.clock == .source)
    }

    @Test("A step up to the larger of two target durations and ten seconds is no hole", arguments: [5.0, 12])
    func smallStep(length: Double) {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([106 + length], arrival: 112 + length)
        #expect(stage.starts == [100, 106])
        #expect(stage.steps.isEmpty)
    }

    @Test("A date that runs back is replaced by arrival, and said", arguments: [13.0, 3600, 50000])
    func backward(length: Double) {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([106 - length], arrival: 112)
        stage.place([112 - length], arrival: 118)
        #expect(stage.starts == [100, 106, 112])
        #expect(stage.placing.clock == .arrival)
        #expect(stage.placing.dateRejection != nil)
    }

    @Test("A date that runs back during a stall is replaced by arrival: the stall stays a hole")
    func backwardInStall() {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([76], arrival: 152)
        #expect(stage.starts == [100, 146])
        #expect(stage.placing.clock == .arrival)
    }

    @Test("A date that jumps ahead without arrival is replaced by arrival", arguments: [30.0, 3600, 80000])
    func jump(length: Double) {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([106 + length], arrival: 112)
        #expect(stage.starts == [100, 106])
        #expect(stage.steps.isEmpty)
        #expect(stage.placing.clock == .arrival)
        #expect(stage.placing.dateRejection != nil)
    }

    @Test(
        "After a jump arrival goes on with the distance that the clocks had: the timeline does not jump either"
    )
    func jumpWithOffset() {
        var stage = PlacingStage()
        stage.place([500], arrival: 106)
        stage.place([9006], arrival: 112)
        #expect(stage.starts == [500, 506])
    }

    @Test("Dates that stand still are replaced by arrival, within a list and from list to list")
    func constant() {
        var stage = PlacingStage()
        stage.place([40, 40, 40], arrival: 118)
        #expect(stage.starts == [100, 106, 112])
        #expect(stage.placing.clock == .arrival)
        var single = PlacingStage()
        for index in 0..<10 { single.place([100], arrival: 106 + Double(index) * 6) }
        #expect(single.placing.clock == .arrival)
        #expect(abs(single.last - 154) < 1)
        #expect(single.steps.isEmpty)
    }

    @Test("A list that comes late changes no dates")
    func lateList() {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([106], arrival: 172)
        stage.place([112], arrival: 173)
        #expect(stage.starts == [100, 106, 112])
        #expect(stage.placing.clock == .source)
    }

    @Test(
        "A source clock that drifts by 200 ppm for three days stays believed, and a stall is still seen as one"
    )
    func sourceDrift() {
        var stage = PlacingStage()
        for index in 0..<43_200 {
            stage.place([100 + Double(index) * 6], arrival: 106 + Double(index) * 6 * 1.0002)
        }
        #expect(stage.placing.clock == .source)
        #expect(stage.steps.isEmpty)
        stage.place([100 + 43_200 * 6 + 40], arrival: 106 + 43_200 * 6 * 1.0002 + 40)
        #expect(stage.placing.clock == .source)
        #expect(stage.steps == [43_200])
    }

    @Test("Without a date on a segment its time goes on from the one before it")
    func undated() {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([nil], arrival: 112.9)
        stage.place([nil], arrival: 117)
        #expect(stage.starts == [100, 106, 112])
        #expect(stage.durations == [6, 6, 6])
        #expect(stage.placing.clock == .source)
    }

    @Test("The dates of a new source run are judged from the beginning")
    func newFeed() {
        var stage = PlacingStage()
        stage.place([100], arrival: 106)
        stage.place([50], arrival: 112)
        #expect(stage.placing.clock == .arrival)
        stage.placing.startRun()
        stage.place([200], arrival: 206, opensHole: true)
        #expect(stage.placing.clock == .source && stage.placing.dateRejection == nil)
        #expect(stage.last == 200)
    }

    // MARK: Moment

    @Test(
        "Without dates the newest listed segment ends at arrival, the earlier ones by subtraction, later ones by adding"
    )
    func noDates() {
        var stage = PlacingStage()
        stage.place([nil, nil, nil], arrival: 118)
        stage.place([nil], arrival: 124)
        #expect(stage.starts == [100, 106, 112, 118])
        #expect(stage.placing.clock == .arrival)
        #expect(stage.placing.dateRejection == nil)
    }

    @Test(
        "The operator's choice of arrival leaves dates aside; the choice of the source's without dates is said"
    )
    func choice() {
        var arrival = PlacingStage(.arrival)
        arrival.place([500], arrival: 106)
        #expect(arrival.starts == [100])
        var source = PlacingStage(.source)
        source.place([nil], arrival: 106)
        #expect(source.starts == [100])
        #expect(source.placing.dateRejection != nil)
    }

    @Test("Arrival that jitters by a target duration makes no hole and no overlap")
    func jitter() {
        var random = SeededGenerator(seed: 7)
        var stage = PlacingStage()
        for index in 0..<2000 {
            stage.place([nil], arrival: 106 + Double(index) * 6 + .random(in: 0...6, using: &random))
        }
        #expect(stage.steps.isEmpty)
        #expect(stage.durations.allSatisfy { abs($0 - 6) <= 0.010_000_1 })
        #expect(abs(stage.last - 12_094) < 9)
    }

    @Test("A stall without dates is a hole as long as the stall")
    func arrivalStall() {
        var stage = PlacingStage()
        stage.place([nil], arrival: 106)
        stage.place([nil], arrival: 172)
        #expect(stage.starts == [100, 166])
        #expect(stage.steps == [1])
    }

    @Test("An answer that took long says when its newest segment ended only within that time")
    func slowAnswer() {
        var stage = PlacingStage()
        stage.place([nil], arrival: 106)
        stage.place([nil], arrival: 126, took: 14)
        stage.place([nil, nil, nil], arrival: 130)
        #expect(stage.starts == [100, 106, 112, 118, 124])
        #expect(stage.durations == [6, 6, 6, 6, 6])
        #expect(stage.steps.isEmpty)
    }

    @Test("A late list that brings all that was missed makes no hole")
    func catchingUp() {
        var stage = PlacingStage()
        stage.place([nil], arrival: 106)
        stage.place([nil, nil, nil, nil, nil], arrival: 136)
        #expect(stage.starts == [100, 106, 112, 118, 124, 130])
        #expect(stage.steps.isEmpty)
    }

    @Test("All renditions share the start that the leading one has, when it can be true")
    func shared() {
        var stage = PlacingStage()
        stage.place([nil], arrival: 108, shared: 100.5)
        #expect(stage.starts == [100.5])
        var other = PlacingStage()
        other.place([nil], arrival: 106, shared: 900)
        #expect(other.starts == [100])
    }

    @Test("The leading rendition tells a step, also where another one is loaded a segment later")
    func sharedByMedia() {
        var stage = PlacingStage(end: 100)
        let entry = { (start: Double) in
            TimePlacing.Entry(duration: 6 * seconds, sharedStart: at(start), isSharedByMedia: true)
        }
        // Arrival is 17 s later than the leading rendition's start: a step is 12 s, a segment 6 s.
        stage.placements += stage.placing.place([entry(100)], arrival: arrived(123), target: stage.target)
        #expect(stage.starts == [100] && stage.steps.isEmpty)
        stage.placements += stage.placing.place([entry(106)], arrival: arrived(140), target: stage.target)
        #expect(stage.starts == [100, 134] && stage.steps == [1])
    }

    @Test("A rendition without dates begins a new run where the leading one does, however short the hole is")
    func sharedRun() {
        var stage = PlacingStage()
        stage.place([nil], arrival: 106)
        stage.placing.startRun()
        stage.place([nil], arrival: 112.4, opensHole: true, shared: 106.3)
        #expect(stage.starts == [100, 106.3])
        #expect(stage.steps == [1])
    }

    // MARK: Going on

    @Test("Resumed, times go on from what is decided; missing numbers leave their time out")
    func resumed() {
        var stage = PlacingStage(end: 100)
        stage.place([100.02, 106.02], arrival: 112)
        #expect(stage.starts == [100, 106])
        var hole = PlacingStage(end: 100)
        hole.place([106], arrival: 112, opensHole: true)
        #expect(hole.starts == [106])
        #expect(hole.steps == [0])
    }

    @Test("A new source run that begins before what is decided goes behind it")
    func newFeedOverlaps() {
        var stage = PlacingStage(end: 100)
        stage.place([90, 96], arrival: 102, opensHole: true)
        #expect(stage.starts.first == 100)
        #expect(stage.steps.isEmpty)
    }

    @Test(
        "Of another source, what is recorded already is counted",
        arguments: [(100.0, 0), (103.5, 1), (124, 4), (90, 0)])
    func covered(end: Double, count: Int) {
        let entries = (0..<4).map {
            TimePlacing.Entry(duration: 6 * seconds, programDateTime: at(100 + Double($0) * 6))
        }
        let placing = TimePlacing(choice: .auto, end: at(end))
        #expect(
            placing.coveredCount(entries, arrival: arrived(125), target: 6 * seconds, byDates: false) == count
        )
    }

    @Test("A source that begins again is compared by its dates while the timeline is ahead of them")
    func coveredByDates() {
        var stage = PlacingStage()
        // They are said to have six seconds, and have two.
        stage.place([100, 102, 104], arrival: 106.5)
        #expect(stage.last >= 111)
        stage.placing.startRun()
        let entries = (0..<3).map {
            TimePlacing.Entry(duration: 2 * seconds, programDateTime: at(108 + Double($0) * 2))
        }
        let count = stage.placing.coveredCount(
            entries, arrival: arrived(114.5), target: 6 * seconds, byDates: true)
        #expect(count == 1)
    }

    @Test("Dates at the ends of time do no harm", arguments: [Int64.min, .max, 0])
    func extremes(date: Int64) {
        var placing = TimePlacing(choice: .auto)
        let entries = [at(100), Instant(microseconds: date), at(112)].map {
            TimePlacing.Entry(duration: 6 * seconds, programDateTime: $0)
        }
        let placements = placing.place(entries, arrival: arrived(118), target: 6 * seconds)
        #expect(placements.map(\.start) == [at(100), at(106), at(112)])
    }

    @Test(
        "Over a day with jitter and drift, starts never overlap, never run back and stay near the true time",
        arguments: [-200.0, 0, 200], [true, false])
    func aDay(partsPerMillion: Double, isDated: Bool) {
        var random = SeededGenerator(seed: UInt64(300 + partsPerMillion))
        var stage = PlacingStage()
        var (place, worst) = (0, 0.0)
        while place < 14_400 {
            let count = Int.random(in: 1...3, using: &random)
            let published = 100 + Double(place + count) * 6 * (1 + partsPerMillion / 1e6)
            let dates = (place..<place + count).map { isDated ? 100 + Double($0) * 6 : nil }
            stage.place(dates, arrival: published + .random(in: 0...4, using: &random))
            place += count
            worst = max(worst, abs(stage.last + 6 - (isDated ? 100 + Double(place) * 6 : published)))
        }
        #expect(stage.placements.allSatisfy { $0.duration > 0 })
        #expect(
            zip(stage.placements, stage.placements.dropFirst()).allSatisfy {
                $0.start + $0.duration == $1.start
            })
        #expect(stage.steps.isEmpty)
        #expect(worst <= (isDated ? 0.1 : 15))
    }
}
