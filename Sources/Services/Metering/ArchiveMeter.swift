import Catalogue
import Telemetry
import Timeline
import Synchronization

/// Measures what the archive holds of each channel, for scrapes.
final class ArchiveMeter: Sendable {
    private let catalogue: Catalogue
    private let archiveUsage = Mutex<[ArchiveUsage]>([])

    init(catalogue: Catalogue, registry: MetricsRegistry) {
        self.catalogue = catalogue
        registry.onScrape(
            "backcast_archive_bytes", help: "Bytes of the segments that the archive holds of a channel."
        ) { [weak self] in self?.perChannel { Double($0.bytes) } ?? [] }
        registry.onScrape(
            "backcast_archive_oldest_timestamp_seconds",
            help: "Start of the oldest segment that the archive holds of a channel, seconds since 1970."
        ) { [weak self] in self?.perChannel { Microseconds.seconds($0.oldest.microseconds) } ?? [] }
    }

    /// One round over all channels that have anything in the archive.
    func measure() async throws(CatalogueError) {
        let found = try await catalogue.archiveUsage()
        archiveUsage.withLock { $0 = found }
    }

    private func perChannel(_ value: (ArchiveUsage) -> Double) -> [LabelledValue] {
        archiveUsage.withLock { $0 }.map { ([("channel", $0.channel.text)], value($0)) }
    }
}
