import Synchronization

/// Lets a few tasks through at once; the others wait in the order in which they came.
package final class AsyncSemaphore: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var free: Int
        var arrivals = 0
        var waiters: [(number: Int, waiter: Waiter)] = []
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
        guard await acquire(newNumber()) else { return nil }
        defer { release() }
        return try await body()
    }

    /// As `withPermit`; nil also when no permit came within a time.
    nonisolated(nonsending) package func withPermit<Value, Failure>(
        within limit: Duration, by clock: HostClock, _ body: () async throws(Failure) -> Value,
    ) async throws(Failure) -> Value? {
        let number = newNumber()
        let timer = Task {
            try? await clock.sleep(for: limit)
            turnAway(number)
        }
        let isAdmitted = await acquire(number)
        timer.cancel()
        guard isAdmitted else { return nil }
        defer { release() }
        return try await body()
    }

    private func newNumber() -> Int {
        state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
    }

    /// Whether a permit came.
    private func acquire(_ number: Int) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                guard let isAdmitted = arrived(number, waiter) else {
                    // The handler may have run before the waiter was there.
                    if Task.isCancelled { turnAway(number) }
                    return
                }
                waiter.resume(returning: isAdmitted)
            }
        } onCancel: {
            turnAway(number)
        }
    }

    /// What a newcomer is told at once; nil if it waits.
    private func arrived(_ number: Int, _ waiter: Waiter) -> Bool? {
        state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return true
            }
            guard state.waiters.count < waiterLimit else { return false }
            state.waiters.append((number, waiter))
            return nil
        }
    }

    private func turnAway(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).waiter }
        }
        waiter?.resume(returning: false)
    }

    private func release() {
        let next = state.withLock { state -> Waiter? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().waiter }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
