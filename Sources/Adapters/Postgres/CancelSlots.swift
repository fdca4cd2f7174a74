import Synchronization

/// Counts the cancel requests that run, each of which has a thread.
final class CancelSlots: Sendable {
    static let ofProcess = CancelSlots(limit: Limits.cancelRequests)

    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether another request may run; then `release` has to follow.
    func take() -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= limit { return true }
        release()
        return false
    }

    func release() {
        count.subtract(1, ordering: .relaxed)
    }
}
