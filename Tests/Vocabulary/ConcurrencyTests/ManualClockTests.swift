import Concurrency
import TestSupport
import Testing
import Timeline

@Suite("A clock that a test moves")
struct ManualClockTests {
    private let time = ManualClock(wall: Instant(seconds: 1000))

    @Test("Advancing moves both clocks by the same time")
    func advance() {
        let steady = time.clock.steady()
        time.advance(by: .milliseconds(2500))
        #expect(time.clock.now() == Instant(milliseconds: 1_002_500))
        #expect(time.clock.steady() - steady == .milliseconds(2500))
    }

    @Test("A step of the wall clock leaves the steady clock and its sleepers alone")
    func step() async throws {
        let clock = time.clock
        let steady = clock.steady()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        try await time.sleepers()
        time.stepWall(by: .seconds(-3600))
        #expect(clock.now() == Instant(seconds: -2600))
        #expect(clock.steady() == steady)
        #expect(time.sleeperCount == 1)
        time.advance(by: .seconds(1))
        try await sleeper.value
    }

    @Test("A sleeper wakes when its instant is reached, and not before")
    func wake() async throws {
        let clock = time.clock
        let short = Task { try await clock.sleep(for: .seconds(1)) }
        let long = Task { try await clock.sleep(for: .seconds(3)) }
        try await time.sleepers(2)
        #expect(time.untilNextWake == .seconds(1))
        time.advance(by: .seconds(2))
        try await short.value
        #expect(time.sleeperCount == 1)
        #expect(time.untilNextWake == .seconds(1))
        time.advance(by: .seconds(1))
        try await long.value
        #expect(time.sleeperCount == 0)
        #expect(time.untilNextWake == nil)
    }

    @Test("An instant that has passed is not waited for")
    func past() async throws {
        try await time.clock.sleep(until: time.clock.steady())
        try await time.clock.sleep(for: .seconds(-1))
    }

    @Test("A cancelled sleeper wakes at once with an error", arguments: [false, true])
    func cancelled(beforeSleeping: Bool) async throws {
        let clock = time.clock
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let sleeper = Task {
            if beforeSleeping { for await _ in gate {} }
            try await clock.sleep(for: .seconds(1))
        }
        if !beforeSleeping { try await time.sleepers() }
        sleeper.cancel()
        opener.finish()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(time.sleeperCount == 0)
    }
}
