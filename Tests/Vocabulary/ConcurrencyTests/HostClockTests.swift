import Concurrency
import TestSupport
import Testing
import Timeline

@Suite("The clock that is handed down")
struct HostClockTests {
    @Test("The host's wall clock is in this century and both clocks go on")
    func system() async throws {
        let clock = HostClock.system
        let (wall, steady) = (clock.now(), clock.steady())
        try await clock.sleep(for: .milliseconds(2))
        #expect(clock.now() > wall)
        #expect(clock.steady() - steady >= .milliseconds(2))
        #expect(wall > Instant(seconds: 1_700_000_000))
    }

    @Test("The host's clock stops sleeping when the task is cancelled")
    func cancelled() async {
        let sleeper = Task { try await HostClock.system.sleep(for: .seconds(600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("A round runs at once and after each pause, goes on after an error, and ends with its task")
    func every() async throws {
        let time = ManualClock()
        let clock = time.clock
        let (rounds, round) = AsyncStream.makeStream(of: Int.self)
        let repeating = Task {
            var (count, errors) = (0, 0)
            await clock.every(
                .seconds(5),
                {
                    count += 1
                    round.yield(count)
                    if count == 2 { throw TestFailure("the second round") }
                }, onError: { _ in errors += 1 })
            return (count, errors)
        }
        var seen = rounds.makeAsyncIterator()
        for number in 1...3 {
            #expect(await seen.next() == number)
            try await time.sleepers()
            #expect(time.untilNextWake == .seconds(5))
            if number < 3 { time.advance(by: .seconds(5)) }
        }
        repeating.cancel()
        #expect(await repeating.value == (3, 1))
    }

    @Test("The pause after a long round is a multiple of its time")
    func resting() async throws {
        let time = ManualClock()
        let clock = time.clock
        let repeating = Task {
            await clock.every(
                .seconds(5), restFactor: 10, { time.advance(by: .seconds(2)) }, onError: { _ in })
        }
        try await time.sleepers()
        #expect(time.untilNextWake == .seconds(20))
        repeating.cancel()
        await repeating.value
    }
}
