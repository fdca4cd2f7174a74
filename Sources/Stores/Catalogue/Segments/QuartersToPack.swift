import Synchronization

/// What is still to be packed as far as this process knows, and how far summaries were examined for more.
final class QuartersToPack: Sendable {
    private struct State {
        var changed: Set<Quarter> = []
        /// The last summary that was examined; nil at the beginning.
        var examined: Quarter?
    }

    private let state = Mutex(State())

    /// Adds quarters of which segments were committed.
    func add(_ quarters: Set<Quarter>) {
        state.withLock { state in
            for quarter in quarters where state.changed.count < Limits.changedQuarters {
                state.changed.insert(quarter)
            }
        }
    }

    /// Takes changed quarters that begin before an instant, ordered by rendition and begin.
    func take(before begin: Int64, atMost count: Int) -> [Quarter] {
        state.withLock { state in
            let taken = state.changed.filter { $0.begin < begin }.sorted {
                ($0.rendition, $0.begin) < ($1.rendition, $1.begin)
            }.prefix(count)
            state.changed.subtract(taken)
            return Array(taken)
        }
    }

    var examined: Quarter? {
        get { state.withLock { $0.examined } }
        set { state.withLock { $0.examined = newValue } }
    }
}
