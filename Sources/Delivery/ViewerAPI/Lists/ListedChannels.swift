import Catalogue
import Concurrency
import Synchronization

/// The channels that lists name, read from the catalogue and kept for seconds.
final class ListedChannels: Sendable {
    private struct Known {
        var channels: [ListedChannel]
        var asOf: SteadyInstant
    }

    private let catalogue: Catalogue
    private let clock: HostClock
    private let known = Mutex<Known?>(nil)

    init(catalogue: Catalogue, clock: HostClock) {
        self.catalogue = catalogue
        self.clock = clock
    }

    /// All channels that are not deleted, ordered by id.
    func all() async throws(CatalogueError) -> [ListedChannel] {
        let asked = clock.steady()
        let recent = known.withLock { known -> [ListedChannel]? in
            guard let known, asked - known.asOf < .seconds(Limits.listAgeSeconds) else { return nil }
            return known.channels
        }
        if let recent { return recent }
        let channels = try await catalogue.listedChannels()
        known.withLock { $0 = Known(channels: channels, asOf: asked) }
        return channels
    }

    /// All channels, or those that were known last while the catalogue is away; none if none were.
    func lastKnown() async throws(CatalogueError) -> [ListedChannel] {
        do throws(CatalogueError) {
            return try await all()
        } catch {
            guard error.isTransient else { throw error }
            return known.withLock { $0?.channels ?? [] }
        }
    }
}
