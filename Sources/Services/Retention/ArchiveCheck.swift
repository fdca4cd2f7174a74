import Catalogue
import Concurrency
import Logging
import SegmentStore
import Synchronization

/// Checks whether the archive has the files that the catalogue lists.
///
/// While the archive's disk is not mounted, its folder is empty. Expiring segments frees no space then, and
/// their files would stay on the disk for ever.
final class ArchiveCheck: Sendable {
    private let catalogue: Catalogue
    private let store: any SegmentStore
    private let clock: HostClock
    private let logger: Logger
    /// What the last look found, and when it was.
    private let last = Mutex<(isMissing: Bool, at: SteadyInstant)?>(nil)

    init(catalogue: Catalogue, store: any SegmentStore, clock: HostClock, logger: Logger) {
        (self.catalogue, self.store, self.clock, self.logger) = (catalogue, store, clock, logger)
    }

    /// Whether more than half of a sample of the catalogue's files are missing.
    ///
    /// A result is kept for a minute. A sample of fewer than eight files gives false: a single lost file
    /// could otherwise make the archive look empty, and nothing more would expire.
    func isMissing() async throws -> Bool {
        let now = clock.steady()
        if let last = last.withLock({ $0 }), now - last.at < Limits.archiveCheckPause {
            return last.isMissing
        }
        let sample = Set(try await catalogue.archiveSample(count: Limits.archiveSample))
        var found = 0
        for key in sample where try await store.contains(key) { found += 1 }
        let isMissing = sample.count >= Limits.minimumArchiveSample && 2 * found < sample.count
        let before = last.withLock { last in
            defer { last = (isMissing, now) }
            return last?.isMissing ?? false
        }
        if isMissing, !before {
            logger.error(
                """
                The archive lacks most files that the catalogue has: is its disk mounted? Nothing expires to \
                free space, and what has expired stays scheduled
                """, metadata: ["looked for": "\(sample.count)", "found": "\(found)"])
        } else if before, !isMissing {
            logger.notice("The archive has its files again")
        }
        return isMissing
    }
}
