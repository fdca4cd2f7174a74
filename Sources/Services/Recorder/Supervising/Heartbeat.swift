import Concurrency
import Synchronization

/// How regularly the heartbeats of this node have reached the catalogue.
///
/// When the database was away or slow, every node looks dead for a moment. A node that takes over channels
/// then takes them from living nodes.
final class Heartbeat: Sendable {
    private struct Beats {
        /// The first of those that have come without a pause.
        var first: SteadyInstant
        var last: SteadyInstant
    }

    private let beats = Mutex<Beats?>(nil)

    /// Records a heartbeat that reached the catalogue.
    func beat(at now: SteadyInstant) {
        beats.withLock { beats in
            let isPause = beats.map { now - $0.last > Limits.lease } ?? true
            beats = Beats(first: isPause ? now : beats?.first ?? now, last: now)
        }
    }

    /// Whether heartbeats have reached the catalogue for as long as a lease lasts.
    ///
    /// Only then does the missing heartbeat of another node mean that the node is gone.
    func isSteady(at now: SteadyInstant) -> Bool {
        beats.withLock { beats in
            guard let beats else { return false }
            return now - beats.first >= Limits.lease && now - beats.last <= Limits.lease
        }
    }
}
