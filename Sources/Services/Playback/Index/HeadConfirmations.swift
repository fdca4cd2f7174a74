import Concurrency
import Synchronization

/// Shares one query among many requests: each waits for a round that begins after it arrived.
///
/// A waiting request has no task or timer of its own; the end of its round resumes it.
final class HeadConfirmations: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        /// Those that wait for the next round to begin.
        var waiters: [Waiter] = []
        /// Whether rounds follow each other: as long as anyone waits.
        var isRunning = false
        var began: SteadyInstant?
    }

    private let state = Mutex(State())

    /// Returns true when a round that began after this call has ended; false if that takes longer than
    /// `Limits.confirmationWait`.
    ///
    /// Rounds do not overlap, and begin `Limits.confirmationPause` after each other at least.
    func round(_ clock: HostClock, _ ask: @escaping @Sendable () async -> Void) async -> Bool {
        await withCheckedContinuation { waiter in
            let isFirst = state.withLock { state in
                state.waiters.append(waiter)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isFirst { Task { await run(clock, ask) } }
        }
    }

    /// Runs rounds one after the other until no request waits for one.
    private func run(_ clock: HostClock, _ ask: @escaping @Sendable () async -> Void) async {
        while true {
            if let began = state.withLock({ $0.began }) {
                let pause = began + Limits.confirmationPause - clock.steady()
                if pause > .zero { try? await clock.sleep(for: pause) }
            }
            guard let waiters = begin(at: clock.steady()) else { return }
            let asking = Task { await ask() }
            if await asking.value(within: Limits.confirmationWait, by: clock) != nil {
                for waiter in waiters { waiter.resume(returning: true) }
                continue
            }
            for waiter in waiters { waiter.resume(returning: false) }
            // The query is not repeated before its answer has come.
            repeat {
                for waiter in takeWaiters() { waiter.resume(returning: false) }
            } while await asking.value(within: Limits.confirmationWait, by: clock) == nil
        }
    }

    /// Begins a round and returns its waiters; returns nil, and ends the rounds, if there are no waiters.
    private func begin(at instant: SteadyInstant) -> [Waiter]? {
        state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isRunning = false
                return nil
            }
            state.began = instant
            defer { state.waiters = [] }
            return state.waiters
        }
    }

    private func takeWaiters() -> [Waiter] {
        state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
    }
}
