package import Catalogue
package import Concurrency
package import Logging
package import Monitoring
package import Telemetry

/// The metrics of channels: those of the recorder as they are at a scrape, those of the catalogue measured in
/// the background.
///
/// A scrape never waits for the database.
package struct Meters: Sendable {
    let gaps: GapMeter
    let archive: ArchiveMeter
    private let clock: HostClock
    private let logger: Logger

    /// Registers all of them.
    ///
    /// The board is that of this process's recorder; it is empty in a process that does not record.
    package init(
        board: StatusBoard, catalogue: Catalogue, registry: MetricsRegistry, clock: HostClock, logger: Logger,
    ) {
        ChannelMetrics(board: board, now: clock.now).register(in: registry)
        gaps = GapMeter(catalogue: catalogue, registry: registry)
        archive = ArchiveMeter(catalogue: catalogue, registry: registry)
        self.clock = clock
        self.logger = logger
    }

    /// Measures until cancelled; a round that fails is logged, and the next one makes up for it.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await clock.every(
                    .seconds(Limits.gapRoundSeconds), { try await gaps.measure() }, onError: report)
            }
            group.addTask {
                await clock.every(
                    .seconds(Limits.archiveRoundSeconds), restFactor: Limits.archiveRestFactor,
                    { try await archive.measure() }, onError: report)
            }
        }
    }

    private func report(_ error: any Error) {
        logger.warning("A measurement failed", metadata: ["error": "\(error)"])
    }
}
