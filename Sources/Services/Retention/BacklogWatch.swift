import Concurrency
import Synchronization

/// Tells whether this node has found the catalogue available in every round for some minutes, so that
/// recorders have entered what they recorded during an outage.
///
/// Before that, facts in a journal may use an initialization section or key that no stored format names.
/// After a start it is unknown whether there was an outage. Nor is it known here that another node alone was
/// cut off from the catalogue: what its journal holds then may lack its section or key.
final class BacklogWatch: Sendable {
    private let reachableSince: Mutex<SteadyInstant?>

    init(reachableSince: SteadyInstant?) {
        self.reachableSince = Mutex(reachableSince)
    }

    /// Whether the rounds so far show that nothing is left of an outage.
    func isBacklogInCatalogue(at now: SteadyInstant, isReachable: Bool) -> Bool {
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
