import Concurrency
import Synchronization

/// Wakes tasks that wait until something has changed.
final class ChangeSignal: Sendable {
    private struct State {
        var next = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Something has changed.
    func raise() {
        let waiting = state.withLock { Array($0.waiting.values) }
        for waiter in waiting { waiter.yield() }
    }

    /// Gets an element for one or more changes from now on.
    ///
    /// A change between two waits is not lost: the stream keeps one element.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.waiting.removeValue(forKey: number) }
        }
        return stream
    }

    /// Waits until a condition is true; false when that takes longer than a limit, or the task is cancelled.
    func wait(
        within limit: Duration? = nil, by clock: HostClock, until isSatisfied: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let changes = changes()
        if isSatisfied() { return true }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in changes where isSatisfied() { return true }
                return false
            }
            if let limit {
                group.addTask {
                    try? await clock.sleep(for: limit)
                    return isSatisfied()
                }
            }
            let result = await group.next() ?? false
            group.cancelAll()
            return result
        }
    }
}
