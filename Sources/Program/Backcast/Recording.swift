import Catalogue
import Concurrency
import Files
import HTTPClient
import Journal
import Logging
import Metering
import Monitoring
import Recorder
import Retention
import SegmentStore
import Telemetry

/// The recording side of a process: recorder and retention over one journal and one client.
struct Recording: Sendable {
    private let journal: Journal
    let client: HTTPClient
    private let recorder: RecorderService
    private let retention: RetentionService
    private let clock: HostClock

    /// Opens the journal and the client; the caller keeps the state folder open.
    init(
        _ settings: Settings, state: StateFolder, catalogue: Catalogue, heartbeats: Catalogue,
        store: any SegmentStore, board: StatusBoard, clock: HostClock,
        isDatabaseReady: @escaping @Sendable () -> Bool, ownPorts: [UInt16], logger: Logger,
    ) throws {
        self.clock = clock
        let diskGuard = DiskGuard()
        journal = try Journal.open(folder: state.journal, clock: clock, logger: logger)
        let hosts = state.publicHosts
        client = try HTTPClient.open(
            ClientConfiguration(
                proxy: settings.sourcesProxy?.revealed,
                publicHosts: PublicHosts(known: hosts.hosts, onNew: hosts.append), logger: logger))
        recorder = RecorderService(
            node: try state.nodeIdentifier(),
            dependencies: RecorderDependencies(
                catalogue: catalogue, heartbeats: heartbeats, store: store, journal: journal,
                client: client, addressPolicy: settings.addressPolicy(ownPorts: ownPorts), board: board,
                clock: clock,
                isCatalogueReady: isDatabaseReady, isDiskFull: { diskGuard.isFull }),
            logger: logger)
        retention = RetentionService(
            catalogue: catalogue, store: store,
            configuration: RetentionService.Configuration(
                graceSeconds: settings.deleteGraceSeconds,
                floor: settings.minFreeBytes.map { .bytes($0) } ?? .standard),
            diskGuard: diskGuard, isCatalogueReady: isDatabaseReady, clock: clock, logger: logger)
    }

    /// Registers the metrics that only a recording process has.
    func register(in registry: MetricsRegistry) {
        JournalMeter.register(journal, in: registry)
        let ages = retention.ages
        RetentionMeter.register(heldBackSeconds: { ages.heldBackSeconds }, in: registry)
    }

    /// Records until cancelled, then finishes the downloads in flight and closes the journal.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await recorder.run() }
            group.addTask { await retention.run() }
            group.addTask { await giveMemoryBack() }
        }
        await client.close()
        await journal.close()
    }

    /// Gives free memory back to the system from time to time.
    ///
    /// At the start each channel fetches several segments at once. The C library keeps what they used: more
    /// than all that recording needs later.
    private func giveMemoryBack() async {
        while !Task.isCancelled {
            try? await clock.sleep(for: Limits.memoryPause)
            ProcessMemory.returnFreeMemory()
        }
    }
}
