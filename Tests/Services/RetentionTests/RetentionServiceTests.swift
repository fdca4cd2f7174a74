import Catalogue
import Foundation
import Logging
import Postgres
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Retention

@Suite("Retention")
struct RetentionServiceTests {
    private static let noon = Instant(seconds: 1_704_110_400)
    private static let video = RenditionID(kind: .video, index: 0)

    /// A channel with a segment of a minute at each of the last ten hours, in the catalogue and in the archive.
    private struct House {
        let pool: PostgresPool
        let catalogue: Catalogue
        let store: MemorySegmentStore
        let channel: Channel
        let names: [SegmentName]

        init(_ name: String, retention: Int64?, maxBytes: Int64? = nil, space: DiskSpace? = nil) async throws
        {
            let logger = Logger(label: "test")
            pool = PostgresPool(
                PoolConfiguration(try ConnectionString(try await TestDatabase.shared.database(name))),
                logger: logger)
            let folder = URL(filePath: #filePath).deletingLastPathComponent().path() + "../../../migrations"
            _ = try await Migrations.reading(folder: folder).apply(on: pool)
            catalogue = Catalogue(pool: pool, logger: logger)
            store = space.map { MemorySegmentStore(space: $0) } ?? MemorySegmentStore()
            guard let id = ChannelID("news") else { throw TestFailure("no id") }
            var settings = ChannelSettings(
                id: id, title: "News", sources: [SourceSettings(url: "http://origin.test/")],
                retentionSeconds: retention)
            settings.maxBytes = maxBytes
            channel = try await catalogue.create(settings)
            names = try await Self.fill(catalogue, store, channel)
        }

        private static func fill(
            _ catalogue: Catalogue, _ store: MemorySegmentStore, _ channel: Channel,
        ) async throws -> [SegmentName] {
            let node = "11111111-1111-1111-1111-111111111111"
            try await catalogue.heartbeat(node: node, seconds: 60, about: "{}")
            guard let lease = try await catalogue.takeLease(channel: channel.row, node: node) else {
                throw TestFailure("no lease")
            }
            var batch = Batch(
                channel: channel.row, fence: lease.fence,
                line: LineUpdate(epoch: 0, end: noon, watermark: noon, targetSeconds: 60))
            batch.renditions = [RenditionDescription(id: video)]
            for hour in 0..<10 {
                let start = noon - Int64(10 - hour) * 3_600_000_000
                let fact = SegmentFact(
                    channel: channel.id,
                    identity: SegmentIdentity(rendition: video, feed: 1, number: Int64(hour)),
                    start: start, duration: 60_000_000, state: MediaState(container: .transportStream),
                    storedBytes: 1000, plainBytes: 1000, arrived: start, digest: [UInt8(hour)],
                    fence: lease.fence)
                try await store.put([UInt8](repeating: UInt8(hour), count: 1000), as: fact.key)
                batch.segments.append(DecidedSegment(fact: fact, number: Int64(hour), epoch: 0))
            }
            _ = try await catalogue.remember(batch)
            return batch.segments.map(\.fact.name)
        }

        func service(grace: Int = 0, floor: DiskGuard.Floor = .bytes(0), _ diskGuard: DiskGuard = DiskGuard())
            -> RetentionService
        {
            RetentionService(
                catalogue: catalogue, store: store,
                configuration: .init(graceSeconds: grace, floor: floor), diskGuard: diskGuard, now: { noon },
                logger: Logger(label: "test"))
        }

        /// How many of the ten are still in the catalogue, and how many have their bytes.
        func left() async throws -> (facts: Int, files: Int) {
            let day = TimeWindow(begin: noon - 86_400_000_000, end: noon)
            let record = try await catalogue.record(of: channel.row, in: day, view: .archive)
            var files = 0
            for name in names where try await store.contains(.segment(channel.id, video, name)) { files += 1 }
            return (record.renditions.first?.segments.count ?? 0, files)
        }
    }

    @Test("What begins before the retention is forgotten, and without grace its bytes go at once")
    func byAge() async throws {
        let house = try await House("retention_age", retention: 5 * 3600)
        try await house.service().forgetByRule()
        let left = try await house.left()
        #expect(left == (facts: 5, files: 5))
        await house.pool.close()
    }

    @Test("Within the grace the bytes outlive their facts")
    func grace() async throws {
        let house = try await House("retention_grace", retention: 5 * 3600)
        try await house.service(grace: 7200).forgetByRule()
        let left = try await house.left()
        #expect(left == (facts: 5, files: 10))
        await house.pool.close()
    }

    @Test("A channel that keeps for ever keeps everything")
    func forEver() async throws {
        let house = try await House("retention_ever", retention: nil)
        try await house.service().forgetByRule()
        let left = try await house.left()
        #expect(left == (facts: 10, files: 10))
        await house.pool.close()
    }

    @Test("A channel over its size loses its oldest")
    func bySize() async throws {
        let house = try await House("retention_size", retention: nil, maxBytes: 3500)
        try await house.service().forgetByRule()
        let left = try await house.left()
        #expect(left == (facts: 3, files: 3))
        await house.pool.close()
    }

    @Test("Below the floor everything unkept goes, the oldest first, and then recording stops")
    func floor() async throws {
        let house = try await House(
            "retention_floor", retention: nil, space: DiskSpace(totalBytes: 1 << 40, availableBytes: 1000))
        let diskGuard = DiskGuard()
        try await house.service(floor: .bytes(1 << 30), diskGuard).keepSpaceFree()
        let left = try await house.left()
        #expect(left == (facts: 0, files: 0))
        #expect(diskGuard.isFull)
        await house.pool.close()
    }

    @Test("With room again recording may go on")
    func roomAgain() async throws {
        let house = try await House("retention_room", retention: nil)
        let diskGuard = DiskGuard()
        diskGuard.set(true)
        try await house.service(floor: .bytes(1), diskGuard).keepSpaceFree()
        #expect(!diskGuard.isFull)
        await house.pool.close()
    }
}
