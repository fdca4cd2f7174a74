package import Catalogue
package import Logging
package import Telemetry

/// The metrics that come from the catalogue, measured at a pace of their own: a scrape never waits for the database.
package struct CatalogueMeters: Sendable {
    let gaps: GapMeter
    let archive: ArchiveMeter
    private let logger: Logger

    package init(catalogue: Catalogue, registry: MetricsRegistry, logger: Logger) {
        gaps = GapMeter(catalogue: catalogue, registry: registry)
        archive = ArchiveMeter(catalogue: catalogue, registry: registry)
        self.logger = logger
    }

    /// Measures until cancelled; a failed round is reported and made up for by the next one.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await every(Limits.gapRoundSeconds) { try await gaps.measure() } }
            group.addTask { await every(Limits.archiveRoundSeconds) { try await archive.measure() } }
        }
    }

    private func every(_ seconds: Int, _ round: () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await round()
            } catch {
                if !Task.isCancelled {
                    logger.warning("A measurement failed", metadata: ["cause": "\(error)"])
                }
            }
            try? await Task.sleep(for: .seconds(seconds))
        }
    }
}
