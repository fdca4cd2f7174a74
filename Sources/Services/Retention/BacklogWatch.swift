import Concurrency
import Synchronization

/// Whether recorders have entered what they recorded while the catalogue was away: it has been there in each
/// round for a while.
///
/// Until then an initialization section or key that no format names may be one that is used again, by facts
/// that still wait in a journal. After a start it is not known whether the catalogue was away.
final class BacklogWatch: Sendable {
    private let reachableSince: Mutex<SteadyInstant?>

    init(reachableSince: SteadyInstant?) {
        self.reachableSince = Mutex(reachableSince)
    }

    /// Whether everything is entered, as far as this round and those before it tell.
    func isEntered(at now: SteadyInstant, isReachable: Bool) -> Bool {
        reachableSince.withLock { since in
            guard isReachable else {
                since = nil
                return false
            }
            let first = since ?? now
            since = first
            return now - first >= Limits.backlogTime
        }
    }
}
