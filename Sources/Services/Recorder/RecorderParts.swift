package import Catalogue
package import Concurrency
package import HTTPClient
package import Journal
package import SegmentStore

/// What recorders are made of, handed down by the program.
package struct RecorderParts: Sendable {
    package var catalogue: Catalogue
    package var store: any SegmentStore
    package var journal: Journal
    package var client: HTTPClient
    package var addressPolicy: AddressPolicy
    package var board: StatusBoard
    package var clock: HostClock
    /// A number between −1 and 1 by chance, by which polling is kept from going in step.
    package var chance: @Sendable () -> Double
    /// Whether the archive has too little space left to store another segment.
    package var isDiskFull: @Sendable () -> Bool

    package init(
        catalogue: Catalogue, store: any SegmentStore, journal: Journal, client: HTTPClient,
        addressPolicy: AddressPolicy, board: StatusBoard, clock: HostClock = .system,
        chance: @escaping @Sendable () -> Double = { .random(in: -1...1) },
        isDiskFull: @escaping @Sendable () -> Bool,
    ) {
        self.catalogue = catalogue
        self.store = store
        self.journal = journal
        self.client = client
        self.addressPolicy = addressPolicy
        self.board = board
        self.clock = clock
        self.chance = chance
        self.isDiskFull = isDiskFull
    }
}
