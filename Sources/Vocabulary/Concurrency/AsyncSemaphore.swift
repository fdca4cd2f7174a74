import Synchronization

/// Lets a few tasks through at once; the others wait in the order in which they came.
///
/// A task may need several permits, at most as many as there are.
package final class AsyncSemaphore: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var free: Int
        var arrivals = 0
        var waiters: [(number: Int, permits: Int, waiter: Waiter)] = []

        /// Takes the first ones from the queue for which there are permits.
        mutating func admitted() -> [Waiter] {
            var admitted: [Waiter] = []
            while let first = waiters.first, first.permits <= free {
                free -= first.permits
                admitted.append(waiters.removeFirst().waiter)
            }
            return admitted
        }
    }

    private let waiterLimit: Int
    private let state: Mutex<State>

    /// Lets `permits` tasks through at once, and at most `waiters` wait.
    package init(permits: Int, waiters: Int = .max) {
        waiterLimit = waiters
        state = Mutex(State(free: permits))
    }

    /// Runs a body while it holds a permit; nil when too many tasks wait already, or when the task is
    /// cancelled while it waits.
    nonisolated(nonsending) package func withPermit<Value, Failure>(
        _ body: () async throws(Failure) -> Value,
    ) async throws(Failure) -> Value? {
        guard await acquire(1, newNumber()) else { return nil }
        defer { release(1) }
        return try await body()
    }

    /// As `withPermit`, with several permits; nil also when they were not free within `limit`.
    nonisolated(nonsending) package func withPermit<Value, Failure>(
        _ permits: Int = 1, within limit: Duration, by clock: HostClock,
        _ body: () async throws(Failure) -> Value,
    ) async throws(Failure) -> Value? {
        let number = newNumber()
        var timer: Task<Void, Never>?
        let isAdmitted = await acquire(permits, number) {
            timer = Task {
                try? await clock.sleep(for: limit)
                removeWaiter(number)
            }
        }
        timer?.cancel()
        guard isAdmitted else { return nil }
        defer { release(permits) }
        return try await body()
    }

    private func newNumber() -> Int {
        state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
    }

    /// Whether the permits came; `onWaiting` is called as soon as the task waits for them.
    nonisolated(nonsending) private func acquire(
        _ permits: Int, _ number: Int, onWaiting: () -> Void = {},
    ) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                guard let isAdmitted = acquireOrEnqueue(number, permits, waiter) else {
                    onWaiting()
                    // The handler may have run before the waiter was there.
                    if Task.isCancelled { removeWaiter(number) }
                    return
                }
                waiter.resume(returning: isAdmitted)
            }
        } onCancel: {
            removeWaiter(number)
        }
    }

    /// Takes the permits (true), refuses them because too many wait (false), or lets the task wait (nil).
    private func acquireOrEnqueue(_ number: Int, _ permits: Int, _ waiter: Waiter) -> Bool? {
        state.withLock { state in
            if state.waiters.isEmpty, state.free >= permits {
                state.free -= permits
                return true
            }
            guard state.waiters.count < waiterLimit else { return false }
            state.waiters.append((number, permits, waiter))
            return nil
        }
    }

    /// Removes a waiter, which gets no permits; those after it may need fewer permits and are admitted.
    private func removeWaiter(_ number: Int) {
        let (waiter, next) = state.withLock { state in
            let place = state.waiters.firstIndex { $0.number == number }
            return (place.map { state.waiters.remove(at: $0).waiter }, state.admitted())
        }
        waiter?.resume(returning: false)
        for waiter in next { waiter.resume(returning: true) }
    }

    private func release(_ permits: Int) {
        let next = state.withLock { state in
            state.free += permits
            return state.admitted()
        }
        for waiter in next { waiter.resume(returning: true) }
    }
}
