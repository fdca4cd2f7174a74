package import Concurrency
package import Catalogue
package import HTTPClient
package import Journal
package import Monitoring
package import SegmentStore
import Timeline

/// What recorders are made of, handed down by the program.
package struct RecorderDependencies: Sendable {
    package var catalogue: Catalogue
    /// What enters the facts of all channels that are recorded.
    let committer: GroupCommitter
    /// The catalogue over a connection of its own: a heartbeat that waits for other work looks like a dead
    /// node.
    package var heartbeats: Catalogue
    package var store: any SegmentStore
    package var journal: Journal
    package var client: HTTPClient
    package var addressPolicy: AddressPolicy
    package var board: StatusBoard
    package var clock: HostClock
    /// A random number for each recording: it keeps the polling of many channels from going in step.
    package var seed: @Sendable () -> UInt64
    /// Whether the catalogue has the program's schema; once it has, it keeps it.
    package var isCatalogueReady: @Sendable () -> Bool
    /// Whether the archive has too little space left to store another segment.
    package var isDiskFull: @Sendable () -> Bool

    package init(
        catalogue: Catalogue, heartbeats: Catalogue, store: any SegmentStore, journal: Journal,
        client: HTTPClient, addressPolicy: AddressPolicy, board: StatusBoard, clock: HostClock,
        seed: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
        isCatalogueReady: @escaping @Sendable () -> Bool = { true },
        isDiskFull: @escaping @Sendable () -> Bool,
    ) {
        self.catalogue = catalogue
        self.heartbeats = heartbeats
        committer = GroupCommitter(catalogue: catalogue, clock: clock)
        self.store = store
        self.journal = journal
        self.client = client
        self.addressPolicy = addressPolicy
        self.board = board
        self.clock = clock
        self.seed = seed
        self.isCatalogueReady = isCatalogueReady
        self.isDiskFull = isDiskFull
    }

    /// Waits until the catalogue can be used, at most until a time.
    func catalogueReady(until deadline: SteadyInstant? = nil) async {
        while !isCatalogueReady(), !Task.isCancelled, deadline.map({ clock.steady() < $0 }) ?? true {
            try? await clock.sleep(for: Limits.readinessPause)
        }
    }

    /// Deletes a file unless the catalogue refers to it.
    ///
    /// Another node may have stored the same segment under the same name, and published it.
    func deleteUnused(_ key: ArchiveKey) async throws {
        if case .segment(let channel, let rendition, let name) = key,
            try await catalogue.refers(to: name, of: rendition, in: channel)
        {
            return
        }
        try await store.delete(key)
    }
}
