import Concurrency
import Synchronization

/// Checks whether a part can be reached, with one check at a time.
///
/// A check that hangs may ignore cancellation: it is left running, and no other check starts before it has
/// ended.
final class ReachabilityCheck: Sendable {
    private let clock: HostClock
    private let question: @Sendable () async -> Bool
    /// The result in time of the check that is running.
    private let running = Mutex<Task<Bool, Never>?>(nil)

    init(clock: HostClock, _ question: @escaping @Sendable () async -> Bool) {
        self.clock = clock
        self.question = question
    }

    /// Whether the part answers yes within `Limits.checkSeconds`; false at once while an older check is still
    /// running.
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
        return Task { await answer.value(within: .seconds(Limits.checkSeconds), by: clock) ?? false }
    }
}
