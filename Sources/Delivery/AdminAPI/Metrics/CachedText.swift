import Concurrency
import Synchronization

/// A text that is made at most once a second, however often it is requested.
final class CachedText: Sendable {
    private let kept = Mutex<(text: [UInt8], made: SteadyInstant)?>(nil)

    /// The text, unless it is too old at an instant.
    func text(at now: SteadyInstant) -> [UInt8]? {
        kept.withLock { kept in
            guard let kept, now - kept.made < Limits.metricsAge else { return nil }
            return kept.text
        }
    }

    func keep(_ text: [UInt8], from made: SteadyInstant) {
        kept.withLock { $0 = (text, made) }
    }
}
