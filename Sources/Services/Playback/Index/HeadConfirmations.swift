import Concurrency
import Synchronization

/// Questions that many requests share: each waits for one that begins after it arrived.
final class HeadConfirmations: Sendable {
    private struct State {
        /// The round that has not begun yet.
        var next: Task<Void, Never>?
        /// The last round that has begun.
        var last: Task<Void, Never>?
        var began: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Returns when a round that began after this call has ended; rounds begin `Limits.confirmationPause`
    /// after each other at least.
    func round(_ clock: HostClock, _ ask: @escaping @Sendable () async -> Void) async {
        let task = state.withLock { state in
            if let next = state.next { return next }
            let (last, began) = (state.last, state.began)
            let task = Task {
                await last?.value
                if let began {
                    let pause = began + Limits.confirmationPause - clock.steady()
                    if pause > .zero { try? await clock.sleep(for: pause) }
                }
                self.begin(at: clock.steady())
                await ask()
            }
            state.next = task
            return task
        }
        await task.value
    }

    private func begin(at instant: ContinuousClock.Instant) {
        state.withLock { state in
            state.last = state.next
            state.next = nil
            state.began = instant
        }
    }
}
