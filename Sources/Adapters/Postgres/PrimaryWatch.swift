import Concurrency
import Synchronization

/// What the connections of a pool know of the primary while some of them use a standby.
final class PrimaryWatch: Sendable {
    private struct State {
        var found = 0
        var nextLook: SteadyInstant?
    }

    private let state = Mutex(State())

    /// How often a connection has got a server of the first choice.
    var found: Int { state.withLock { $0.found } }

    /// Notes that a connection has got a server of the first choice, so that those to standbys try it, too.
    func noteFound() {
        state.withLock { state in
            state.found += 1
            state.nextLook = nil
        }
    }

    /// Whether a connection to a standby has to look for the primary now.
    ///
    /// It has to if another connection has found the primary since, or if no connection of the pool has
    /// looked during the interval.
    func isDue(since found: Int, every interval: Duration, now: SteadyInstant) -> Bool {
        state.withLock { state in
            if state.found != found { return true }
            let isDue = state.nextLook.map { now >= $0 } ?? false
            if isDue || state.nextLook == nil { state.nextLook = now + interval }
            return isDue
        }
    }
}
