package import Catalogue
package import Concurrency
package import Logging
package import Telemetry

/// The metrics that come from the catalogue, measured at a pace of their own: a scrape never waits for the database.
package struct CatalogueMeters: Sendable {
    let gaps: GapMeter
    let archive: ArchiveMeter
    private let clock: HostClock
    private let logger: Logger

    package init(catalogue: Catalogue, registry: MetricsRegistry, clock: HostClock, logger: Logger) {
        gaps = GapMeter(catalogue: catalogue, registry: registry)
        archive = ArchiveMeter(catalogue: catalogue, registry: registry)
        self.clock = clock
        self.logger = logger
    }

    /// Measures until cancelled; a failed round is reported and made up for by the next one.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await clock.every(
                    .seconds(Limits.gapRoundSeconds), { try await gaps.measure() }, onError: report)
            }
            group.addTask {
                await clock.every(
                    .seconds(Limits.archiveRoundSeconds), { try await archive.measure() }, onError: report)
            }
        }
    }

    private func report(_ error: any Error) {
        logger.warning("A measurement failed", metadata: ["error": "\(error)"])
    }
}
