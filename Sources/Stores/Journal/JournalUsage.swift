import Synchronization

/// Bytes of the lines of all channels that are not done.
final class JournalUsage: Sendable {
    private let byteCount = Mutex<Int64>(0)

    var total: Int64 { byteCount.withLock { $0 } }

    /// Adds bytes, or takes them away.
    func add(_ count: Int64) {
        byteCount.withLock { $0 += count }
    }
}
