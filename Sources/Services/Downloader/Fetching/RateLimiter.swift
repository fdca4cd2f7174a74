import Concurrency
import Synchronization

/// Holds all transfers together to a number of bytes per second.
final class RateLimiter: Sendable {
    private let bytesPerSecond: Int?
    private let clock: HostClock
    private let free: Mutex<SteadyInstant>

    /// Nil: no limit.
    init(bytesPerSecond: Int?, clock: HostClock) {
        self.bytesPerSecond = bytesPerSecond
        self.clock = clock
        free = Mutex(clock.steady())
    }

    /// Counts received bytes; waits until the next ones may be received.
    func passed(_ byteCount: Int) async throws(CancellationError) {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return }
        let now = clock.steady()
        let next = free.withLock { free in
            free = max(free, now) + .seconds(Double(byteCount) / Double(bytesPerSecond))
            return free
        }
        if next > now { try await clock.sleep(until: next) }
    }
}
