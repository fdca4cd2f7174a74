import Concurrency
import Synchronization

/// Asks whether a part can be reached, once at a time.
///
/// What hangs may ignore that it is cancelled: it is left to itself, and nobody asks again before it has answered.
final class Probe: Sendable {
    private let clock: HostClock
    private let question: @Sendable () async -> Bool
    /// What comes in time of the question that is under way.
    private let running = Mutex<Task<Bool, Never>?>(nil)

    init(clock: HostClock, _ question: @escaping @Sendable () async -> Bool) {
        self.clock = clock
        self.question = question
    }

    /// Whether the part says yes within `Limits.probeSeconds`; no at once while it has not answered for longer.
    func succeeds() async -> Bool {
        await running.withLock { running in
            let inTime = running ?? begin()
            running = inTime
            return inTime
        }.value
    }

    private func begin() -> Task<Bool, Never> {
        let answer = Task {
            let answer = await question()
            running.withLock { $0 = nil }
            return answer
        }
        return Task { await answer.value(within: .seconds(Limits.probeSeconds), by: clock) ?? false }
    }
}
