import Catalogue
import Concurrency
import Synchronization

/// The channels that lists name, read from the catalogue once for all who wait and kept for seconds.
final class ListedChannels: Sendable {
    private struct Known {
        var channels: [ListedChannel]
        var asOf: SteadyInstant
    }

    /// The only key of the shared reads: there is one list.
    private enum Read: Hashable, Sendable {
        case all
    }

    private let read: @Sendable () async throws(CatalogueError) -> [ListedChannel]
    private let clock: HostClock
    private let known = Mutex<Known?>(nil)
    private let reads = SharedWork<Read, [ListedChannel], CatalogueError>()
    /// When the catalogue last failed or took too long.
    private let failed = Mutex<SteadyInstant?>(nil)

    convenience init(catalogue: Catalogue, clock: HostClock) {
        self.init(clock: clock) { () async throws(CatalogueError) in try await catalogue.listedChannels() }
    }

    init(
        clock: HostClock, read: @escaping @Sendable () async throws(CatalogueError) -> [ListedChannel],
    ) {
        (self.clock, self.read) = (clock, read)
    }

    /// All channels that are not deleted, ordered by id.
    func all() async throws(CatalogueError) -> [ListedChannel] {
        if let recent { return recent }
        return try await reads.value(of: .all) { () async throws(CatalogueError) in
            // Another read may have finished in the meantime.
            if let recent = self.recent { return recent }
            let asked = self.clock.steady()
            let channels = try await self.read()
            self.known.withLock { $0 = Known(channels: channels, asOf: asked) }
            return channels
        }
    }

    /// All channels; the last known ones while the catalogue is unavailable or slow.
    ///
    /// If they have never been read, this waits for the read and throws its error: a channel that is not
    /// known yet must not count as one that does not exist.
    func lastKnown() async throws(CatalogueError) -> [ListedChannel] {
        if let recent { return recent }
        guard let former = known.withLock({ $0?.channels }) else { return try await all() }
        if hasJustFailed { return former }
        let reading = Task { await Result { () async throws(CatalogueError) in try await all() } }
        switch await reading.value(within: Limits.listReadTimeout, by: clock) {
        case .success(let channels)?: return channels
        case .failure(let error)? where !error.isTransient: throw error
        default:
            failed.withLock { $0 = clock.steady() }
            return former
        }
    }

    /// The list that was read last, while it is fresh.
    private var recent: [ListedChannel]? {
        let now = clock.steady()
        return known.withLock { known in
            guard let known, now - known.asOf < .seconds(Limits.listAgeSeconds) else { return nil }
            return known.channels
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
