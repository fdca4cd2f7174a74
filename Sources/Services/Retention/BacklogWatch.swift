import Concurrency
import Synchronization

/// Tells whether recorders have had time to enter what they recorded during a catalogue outage.
///
/// That is so when this node has reached the catalogue in every round for `Limits.backlogTime`. Before, facts
/// in a journal may use an initialization section or key that no stored format names. After a start it is
/// unknown whether there was an outage. An outage of another node alone is not noticed here: the section or
/// key of a fact in that node's journal may then be deleted.
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
