import Catalogue
import Concurrency
import Synchronization

/// The channels that lists name, read from the catalogue once for all who wait and kept for seconds.
final class ListedChannels: Sendable {
    private let channels: FreshValue<[ListedChannel], CatalogueError>
    private let clock: HostClock
    /// When the catalogue last failed or took too long.
    private let failed = Mutex<SteadyInstant?>(nil)

    convenience init(catalogue: Catalogue, clock: HostClock) {
        self.init(clock: clock) { () async throws(CatalogueError) in try await catalogue.listedChannels() }
    }

    init(
        clock: HostClock, read: @escaping @Sendable () async throws(CatalogueError) -> [ListedChannel],
    ) {
        self.clock = clock
        channels = FreshValue(clock: clock, age: .seconds(Limits.listAgeSeconds), read: read)
    }

    /// All channels that are not deleted, ordered by id.
    func all() async throws(CatalogueError) -> [ListedChannel] {
        try await channels.value()
    }

    /// All channels; the last known ones while the catalogue is unavailable or slow.
    ///
    /// If they have never been read, this waits for the read and throws its error: a channel that is not
    /// known yet must not count as one that does not exist.
    func lastKnown() async throws(CatalogueError) -> [ListedChannel] {
        if let recent = channels.recent { return recent }
        guard let last = channels.last else { return try await all() }
        if hasJustFailed { return last }
        let reading = Task { await Result { () async throws(CatalogueError) in try await all() } }
        switch await reading.value(within: Limits.listReadTimeout, by: clock) {
        case .success(let channels)?: return channels
        case .failure(let error)? where !error.isTransient: throw error
        default:
            failed.withLock { $0 = clock.steady() }
            return last
        }
    }

    /// Whether the catalogue failed a moment ago: it is not asked again for each channel that is opened.
    private var hasJustFailed: Bool {
        let now = clock.steady()
        return failed.withLock { failed in
            failed.map { now - $0 < .seconds(Limits.listAgeSeconds) } ?? false
        }
    }
}
