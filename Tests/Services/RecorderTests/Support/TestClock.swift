import Concurrency
import Synchronization
import Timeline

@testable import Recorder

/// Both clocks of a host, moved by hand.
final class TestClock: Sendable {
    private let wall = Mutex(0.0)
    private let steady = Mutex(0.0)

    var clock: HostClock {
        HostClock(
            now: { at(self.wall.withLock { $0 }) }, steady: { moment(self.steady.withLock { $0 }) },
            sleep: { try await Task.sleep(for: $0 - moment(self.steady.withLock { $0 })) })
    }

    /// Time passes.
    func pass(_ seconds: Double) {
        step(seconds)
        steady.withLock { $0 += seconds }
    }

    /// Somebody sets the wall's clock.
    func step(_ seconds: Double) {
        wall.withLock { $0 += seconds }
    }
}
