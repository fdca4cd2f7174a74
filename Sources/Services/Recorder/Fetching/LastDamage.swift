import Synchronization

/// How long a segment was when it was last read and was not whole: one that is still being written grows.
final class LastDamage: Sendable {
    private let byteCount = Mutex<Int64?>(nil)

    /// Notes a length; whether it is that of the time before.
    func note(_ count: Int64) -> Bool {
        byteCount.withLock { last in
            defer { last = count }
            return last == count
        }
    }
}
