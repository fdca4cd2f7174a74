import Catalogue
import Concurrency
import Synchronization
import Timeline

/// The ids of all channels, deleted ones too: a request for an unknown id needs no query to the catalogue.
final class ChannelDirectory: Sendable {
    private struct State {
        var ids: Set<ChannelID> = []
        /// The highest row among them.
        var newest: Int32 = 0
        /// When the ids were complete; nil before the first read.
        var asOf: SteadyInstant?
    }

    private let catalogue: Catalogue
    private let clock: HostClock
    private let state = Mutex(State())

    init(catalogue: Catalogue, clock: HostClock) {
        self.catalogue = catalogue
        self.clock = clock
    }

    /// Whether it is certain that no channel has this id.
    func lacks(_ id: ChannelID) -> Bool {
        state.withLock { state in
            guard let asOf = state.asOf, clock.steady() - asOf <= Limits.freshnessLifetime else {
                return false
            }
            return !state.ids.contains(id)
        }
    }

    /// A channel was made or changed.
    func note(_ id: ChannelID) {
        state.withLock { _ = $0.ids.insert(id) }
    }

    /// Reads the ids that are new.
    ///
    /// A transaction may commit after others with higher rows, so the newest rows are read each time.
    func refresh() async {
        let asked = clock.steady()
        let known = state.withLock { $0.newest }
        guard let read = try? await catalogue.channelIDs(after: known - Limits.lateRows) else { return }
        state.withLock { state in
            state.ids.formUnion(read.map(\.id))
            state.newest = max(state.newest, read.map(\.row).max() ?? 0)
            state.asOf = asked
        }
    }
}
