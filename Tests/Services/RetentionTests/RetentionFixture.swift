import Catalogue
import Concurrency
import DatabaseSupport
import Foundation
import Logging
import Postgres
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Retention

let noon = Instant(seconds: 1_704_110_400)
let hourMicroseconds = 3600 * Microseconds.perSecond
let video = RenditionID(kind: .video, index: 0)

/// Where the files of a test are stored.
enum StoreKind: String, CaseIterable {
    case memory
    case directory
}

/// A channel with a segment of a minute and 1,000 bytes in each of the last ten hours, in the catalogue and
/// in the archive.
struct RetentionFixture {
    let pool: PostgresPool
    let catalogue: Catalogue
    let store: any SegmentStore
    /// The archive's folder; nil for one in memory.
    let folder: TemporaryFolder?
    let channel: Channel
    let facts: [SegmentFact]

    var names: [SegmentName] { facts.map(\.name) }

    func service(
        grace: Int = 0, floor: DiskGuard.Floor = .bytes(0), at now: Instant = noon,
        _ diskGuard: DiskGuard = DiskGuard(),
    ) -> RetentionService {
        service(
            grace: grace, floor: floor, clock: ManualClock(wall: now), databaseTime: { now }, diskGuard,
            logger: silentLogger)
    }

    func service(
        grace: Int = 0, floor: DiskGuard.Floor = .bytes(0), clock: ManualClock,
        isStarting: Bool = false, databaseTime: @escaping @Sendable () throws -> Instant,
        _ diskGuard: DiskGuard = DiskGuard(), logger: Logger,
    ) -> RetentionService {
        RetentionService(
            catalogue: catalogue, store: store, configuration: .init(graceSeconds: grace, floor: floor),
            diskGuard: diskGuard, clock: clock.clock, logger: logger,
            reachableSince: isStarting ? nil : clock.clock.steady() - .seconds(3600),
            databaseTime: databaseTime)
    }

    /// Runs rounds of retention until one does not move the cut.
    func expireAll(_ service: RetentionService) async throws {
        var former: Instant?
        while true {
            await service.expireByRetention()
            let cut = try await catalogue.publishedHead(of: channel.row).expiredBefore
            if cut == former { return }
            former = cut
        }
    }

    /// How many of the ten segments are still in the catalogue and how many have their files.
    func left() async throws -> (facts: Int, files: Int) {
        let held = try await pool.query(
            """
            SELECT start_us FROM segment JOIN rendition USING (rendition_id) WHERE channel_id = \(channel.row)
            """)
        var files = 0
        for fact in facts where try await store.contains(fact.key) { files += 1 }
        return (held.count, files)
    }

    /// Files and folders of the channel in the archive's folder, ordered.
    func entries() throws -> [String] {
        guard let folder else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".drafts") }.sorted()
    }

    /// Keeps a window, whatever the retention is.
    func keep(_ window: TimeWindow) async throws {
        _ = try await pool.query(
            """
            INSERT INTO recording (channel_id, begin_us, end_us)
            VALUES (\(channel.row), \(window.begin.microseconds), \(window.end.microseconds))
            """)
    }

    /// The same of another channel, whose last hour ends at another time.
    func another(_ id: String, until end: Instant) async throws -> RetentionFixture {
        let settings = ChannelSettings(
            id: try #require(ChannelID(id)), title: id, sources: [SourceSettings(url: "http://origin.test/")],
            retentionSeconds: nil)
        let channel = try await catalogue.create(settings)
        return RetentionFixture(
            pool: pool, catalogue: catalogue, store: store, folder: folder, channel: channel,
            facts: try await fill(catalogue, store, channel, until: end))
    }

    /// Schedules the deletion of keys, each due before the next one.
    func schedule(_ keys: [String]) async throws {
        _ = try await pool.query(
            """
            INSERT INTO pending_deletion_object (channel_id, is_key, name, not_before)
            SELECT \(channel.row), true, name, now() - interval '1 hour' + number * interval '1 millisecond'
            FROM unnest(\(keys)) WITH ORDINALITY AS t(name, number)
            """)
    }

    /// Initialization sections and keys whose deletion is pending.
    func pendingObjectCount() async throws -> Int {
        try await pool.query("SELECT FROM pending_deletion_object").count
    }

    /// Hours whose files are to be deleted, within the next hour at the latest.
    func pendingHourCount() async throws -> Int {
        try await catalogue.pendingDeletionHours(limit: 100, ahead: -hourMicroseconds).count
    }

    /// Ends the grace period of all pending deletions.
    func endGrace() async throws {
        for table in ["pending_deletion_hour", "pending_deletion_object"] {
            _ = try await pool.query(
                "UPDATE \(identifier: table) SET not_before = now() - interval '1 second'")
        }
    }
}

/// Runs a test with its own database and archive.
func withHouse(
    _ kind: StoreKind = .memory, retention: Int64?, maxBytes: Int64? = nil, space: StorageSpace? = nil,
    hasLimit: Bool = true, in given: (any SegmentStore)? = nil,
    _ body: (RetentionFixture) async throws -> Void
) async throws {
    let folder = kind == .directory ? try TemporaryFolder("retention") : nil
    let store: any SegmentStore =
        if let given {
            given
        } else if let folder {
            try DirectorySegmentStore.open(folder.path, logger: silentLogger)
        } else {
            if hasLimit {
                space.map { MemorySegmentStore(space: $0) } ?? MemorySegmentStore()
            } else {
                MemorySegmentStore(space: nil)
            }
        }
    try await withCatalogueDatabase { pool, _ in
        let catalogue = Catalogue(pool: pool, logger: silentLogger)
        guard let id = ChannelID("news") else { throw TestFailure("no id") }
        var settings = ChannelSettings(
            id: id, title: "News", sources: [SourceSettings(url: "http://origin.test/")],
            retentionSeconds: retention)
        settings.maxBytes = maxBytes
        let channel = try await catalogue.create(settings)
        let facts = try await fill(catalogue, store, channel)
        try await body(
            RetentionFixture(
                pool: pool, catalogue: catalogue, store: store, folder: folder, channel: channel, facts: facts
            ))
    }
}

/// Records the ten segments; the first five name an initialization section and a key.
private func fill(
    _ catalogue: Catalogue, _ store: any SegmentStore, _ channel: Channel, until end: Instant = noon
) async throws -> [SegmentFact] {
    let node = "11111111-1111-1111-1111-111111111111"
    try await catalogue.heartbeat(node: node, seconds: 600)
    guard let lease = try await catalogue.takeLease(channel: channel.row, node: node) else {
        throw TestFailure("no lease")
    }
    var early = SegmentFormat(container: .transportStream)
    early.initName = initName
    early.keyName = keyName
    try await store.put([1], as: .initialization(channel.id, video, initName))
    try await store.put([2], as: .key(channel.id, keyName))
    let facts = (0..<10).map { hour in
        let start = end - Int64(10 - hour) * hourMicroseconds
        return SegmentFact(
            channel: channel.id,
            identity: SegmentIdentity(rendition: video, run: 1, number: Int64(hour)), start: start,
            duration: 60_000_000, format: hour < 5 ? early : SegmentFormat(container: .transportStream),
            storedBytes: 1000, plainBytes: 1000, arrived: start, digest: [UInt8(hour)], fence: lease.fence)
    }
    for (hour, fact) in facts.enumerated() {
        try await store.put([UInt8](repeating: UInt8(hour), count: 1000), as: fact.key)
    }
    var batch = Batch(
        channel: channel.row, fence: lease.fence,
        publishedHead: PublishedHeadUpdate(
            discontinuitySequence: 0, end: end, watermark: end, targetSeconds: 60))
    batch.renditions = [RenditionDescription(id: video)]
    batch.sourceRuns = [SourceRun(id: 1, source: "http://origin.test/", began: end, clock: "arrival")]
    batch.segments = facts.enumerated().map {
        DecidedSegment(fact: $0.element, number: Int64($0.offset), discontinuitySequence: 0)
    }
    _ = try await catalogue.commit(batch)
    return facts
}

/// The name of a key with a number of its own.
func numberedKey(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
}

let initName = "init-0123456789abcdef.mp4"
let keyName = "0123456789abcdef0123456789abcdef"
