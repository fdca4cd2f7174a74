import Testing
import Timeline

@testable import Recorder

/// A clock that recording goes by, and the host's, which is set by hand.
private struct ClockStage {
    var clock: RecordingClock
    var changes: [RecordingClock.Change] = []
    /// What the host's clock is off by, seconds.
    var step = 0.0
    private var time = 0.0

    init(hostOff step: Double = 0, database: Double? = nil, lineEnd: Double? = nil) {
        self.step = step
        clock = RecordingClock(
            Moment(date: at(step), steady: moment(0)), databaseDate: database.map { at($0) },
            lineEnd: lineEnd.map { at($0) })
    }

    /// Lets time pass while the host's clock is looked at every second.
    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            time += 1
            if let change = clock.observe(Moment(date: at(time + step), steady: moment(time))) {
                changes.append(change)
            }
        }
    }

    /// What the clock is off from true time, seconds.
    var error: Double { Double(clock.date(at: moment(time)) - at(time)) / 1_000_000 }
}

@Suite("The clock that recording goes by")
struct RecordingClockTests {
    @Test(
        "A step that is taken back within minutes changes nothing", arguments: [30.0, -30, 28_800, 172_800])
    func returned(step: Double) {
        var stage = ClockStage()
        stage.pass(60)
        stage.step = step
        stage.pass(60)
        #expect(abs(stage.error) < 0.001)
        #expect(stage.clock.stepSize == Int64(step) * seconds)
        stage.step = 0
        stage.pass(600)
        #expect(abs(stage.error) < 0.001)
        #expect(stage.changes == [.stepped(Int64(step) * seconds), .returned])
        #expect(stage.clock.stepSize == 0)
    }

    @Test("A step that stands for five minutes is followed", arguments: [30.0, -28_800])
    func followed(step: Double) {
        var stage = ClockStage()
        stage.step = step
        stage.pass(300)
        #expect(abs(stage.error) < 0.001)
        stage.pass(10)
        #expect(abs(stage.error - step) < 0.001)
        #expect(stage.changes == [.stepped(Int64(step) * seconds), .followed(Int64(step) * seconds)])
    }

    @Test("Differences below a second are followed at once, however many there are")
    func drift() {
        var stage = ClockStage()
        for _ in 0..<100 {
            stage.step += 0.5
            stage.pass(10)
        }
        #expect(abs(stage.error - 50) < 0.001)
        #expect(stage.changes.isEmpty)
    }

    @Test("A clock that is set again and again is followed when one of its steps stands")
    func restless() {
        var stage = ClockStage()
        for step in [100.0, 200, 300] {
            stage.step = step
            stage.pass(200)
        }
        #expect(abs(stage.error) < 0.001)
        stage.pass(150)
        #expect(abs(stage.error - 300) < 0.001)
    }

    @Test("The database's clock is believed where the two differ by more than a minute")
    func database() {
        var stage = ClockStage(hostOff: 28_800, database: 0.5)
        stage.pass(1_000)
        #expect(abs(stage.error - 0.5) < 0.001)
        #expect(stage.clock.stepSize == Int64(28_799.5 * 1_000_000))
        stage.step = 0
        stage.pass(2)
        #expect(abs(stage.error) < 1)
        #expect(stage.clock.stepSize == 0)
        let near = ClockStage(hostOff: 50, database: 0)
        #expect(abs(near.error - 50) < 0.001)
    }

    @Test("Where the two differ, the host's clock is believed if it goes on from the timeline's end")
    func lineEnd() {
        // The line ends at the host's time, before it, a moment ahead of it.
        for end: Double in [28_800, 28_201, 28_859] {
            var stage = ClockStage(hostOff: 28_800, database: 0, lineEnd: end)
            #expect(abs(stage.error - 28_800) < 0.001)
            #expect(stage.clock.stepSize == 0)
            stage.pass(600)
            #expect(stage.changes.isEmpty)
        }
        // At the database's time, at neither's, too far ahead of the host's.
        for end: Double in [-5, -86_400, 28_100, 28_861] {
            let stage = ClockStage(hostOff: 28_800, database: 0, lineEnd: end)
            #expect(abs(stage.error) < 0.001)
            #expect(stage.clock.stepSize == 28_800 * seconds)
        }
    }
}
