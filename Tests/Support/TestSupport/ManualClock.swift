package import Concurrency
import Synchronization
package import Timeline

/// A host's clocks that stand still until a test moves them; a sleeper wakes when its instant is reached.
package final class ManualClock: Sendable {
    private struct Sleeper {
        var end: SteadyInstant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var wall: Instant
        var steady: SteadyInstant
        var arrivals = 0
        var sleepers: [Int: Sleeper] = [:]

        mutating func takeDue() -> [Sleeper] {
            let due = sleepers.filter { $0.value.end <= steady }
            for number in due.keys { sleepers[number] = nil }
            return due.values.sorted { $0.end < $1.end }
        }
    }

    private let state: Mutex<State>

    package init(wall: Instant = Instant(seconds: 1_700_000_000)) {
        state = Mutex(State(wall: wall, steady: .now))
    }

    /// The clock to hand to what is tested.
    package var clock: HostClock {
        HostClock(
            now: { self.state.withLock { $0.wall } }, steady: { self.state.withLock { $0.steady } },
            sleep: { try await self.sleep(until: $0) })
    }

    /// Moves both clocks on, in one step, and wakes the sleepers whose instant has come.
    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.steady += duration
            state.wall = state.wall + duration.wholeMicroseconds
            return state.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets the wall clock on or back, as an operator or a time service does; `steady` and sleepers do not
    /// notice.
    package func stepWall(by duration: Duration) {
        state.withLock { $0.wall = $0.wall + duration.wholeMicroseconds }
    }

    /// How many tasks sleep now.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The time until the next sleeper wakes; nil when nothing sleeps.
    package var untilNextWake: Duration? {
        state.withLock { state in state.sleepers.values.map(\.end).min().map { $0 - state.steady } }
    }

    /// Waits until at least so many tasks sleep.
    package func sleepers(_ count: Int = 1) async throws {
        try await eventually("\(count) sleeping tasks") { sleeperCount >= count }
    }

    private func sleep(until end: SteadyInstant) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDue = state.withLock { state in
                    if end <= state.steady { return true }
                    state.sleepers[number] = Sleeper(end: end, continuation: continuation)
                    return false
                }
                if isDue { continuation.resume() }
                // The handler may have run before the sleeper was there.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
