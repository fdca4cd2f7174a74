import Catalogue
import Concurrency
import Foundation
import Postgres
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Retention

@Suite("Retention")
struct RetentionServiceTests {
    @Test(
        "Segments beyond the retention expire, and without a grace period their files are deleted at once",
        arguments: StoreKind.allCases)
    func byAge(_ kind: StoreKind) async throws {
        try await withHouse(kind, retention: 5 * 3600) { fixture in
            try await fixture.expireAll(fixture.service())
            #expect(try await fixture.left() == (facts: 5, files: 5))
        }
    }

    @Test(
        "Files stay during the grace period and are deleted after it",
        arguments: StoreKind.allCases)
    func grace(_ kind: StoreKind) async throws {
        try await withHouse(kind, retention: 5 * 3600) { fixture in
            let service = fixture.service(grace: 7200)
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 5, files: 10))
            try await fixture.endGrace()
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 5, files: 5))
        }
    }

    @Test("A channel that has nothing older than its retention is not changed")
    func young() async throws {
        try await withHouse(retention: 11 * 3600) { fixture in
            let before = try await fixture.catalogue.publishedHead(of: fixture.channel.row)
            await fixture.service().expireByRetention()
            let after = try await fixture.catalogue.publishedHead(of: fixture.channel.row)
            #expect(after.expiredBefore == before.expiredBefore)
        }
    }

    @Test("A channel without retention keeps everything")
    func forEver() async throws {
        try await withHouse(retention: nil) { fixture in
            try await fixture.expireAll(fixture.service())
            #expect(try await fixture.left() == (facts: 10, files: 10))
        }
    }

    @Test("A round packs the quarters that are closed and have not expired")
    func packing() async throws {
        try await withHouse(retention: 5 * 3600) { fixture in
            let service = fixture.service()
            await service.expireByRetention()
            await service.expireByRetention()
            let current: Statement =
                "SELECT FROM block JOIN packed_quarter USING (rendition_id, quarter_us, revision)"
            let packed = try await fixture.pool.query(current).count
            #expect(packed > 0)
            #expect(try await fixture.pool.query("SELECT FROM packed_quarter").count == packed)
            #expect(try await fixture.pool.query("SELECT FROM block").count == packed)
        }
    }

    @Test("A channel over its size limit loses its oldest segments", arguments: StoreKind.allCases)
    func bySize(_ kind: StoreKind) async throws {
        try await withHouse(kind, retention: nil, maxBytes: 3500) { fixture in
            try await fixture.expireAll(fixture.service())
            #expect(try await fixture.left() == (facts: 3, files: 3))
        }
    }

    @Test("The stricter of age and size limit applies", arguments: [(4, 6500, 4), (8, 6500, 6)])
    func byBoth(hours: Int64, bytes: Int64, left: Int) async throws {
        try await withHouse(retention: hours * 3600, maxBytes: bytes) { fixture in
            try await fixture.expireAll(fixture.service())
            #expect(try await fixture.left() == (facts: left, files: left))
        }
    }

    @Test("Kept recordings stay, in the catalogue and as files")
    func kept() async throws {
        try await withHouse(.directory, retention: 60) { fixture in
            let begin = noon - 8 * hourMicroseconds
            try await fixture.keep(TimeWindow(begin: begin, end: begin + hourMicroseconds))
            try await fixture.expireAll(fixture.service())
            #expect(try await fixture.left() == (facts: 1, files: 1))
            #expect(try await fixture.store.contains(fixture.facts[2].key))
        }
    }

    @Test("Empty folders of hours and days are removed, and so is the day's partition")
    func emptied() async throws {
        try await withHouse(.directory, retention: 60) { fixture in
            let path = "news/v0/2024-01-01"
            #expect(try fixture.entries().contains(path + "/02/1704074400000.ts"))
            let partitions: Statement = "SELECT FROM pg_class WHERE relname = 'segment_20240101'"
            #expect(try await fixture.pool.query(partitions).count == 1)
            // Ten days later the day and everything in it have expired.
            let clock = ManualClock(wall: noon + 240 * hourMicroseconds)
            let service = fixture.service(
                clock: clock, databaseTime: { clock.clock.now() }, logger: silentLogger)
            await service.expireByRetention()
            clock.advance(by: .seconds(300))
            try await fixture.expireAll(service)
            #expect(try fixture.entries().filter { $0.hasPrefix(path) }.isEmpty)
            #expect(try await fixture.pool.query(partitions).isEmpty)
        }
    }

    @Test(
        "Initialization sections and keys are deleted after the last segment that needs them, and the grace period"
    )
    func objects() async throws {
        try await withHouse(.directory, retention: 5 * 3600) { fixture in
            let objects: [ArchiveKey] = [
                .initialization(fixture.channel.id, video, initName), .key(fixture.channel.id, keyName),
            ]
            let service = fixture.service(grace: 7200)
            try await fixture.expireAll(service)
            for object in objects { #expect(try await fixture.store.contains(object)) }
            try await fixture.endGrace()
            try await fixture.expireAll(service)
            for object in objects { #expect(try await fixture.store.contains(object) == false) }
        }
    }

    @Test("A purged channel leaves no files after the grace period", arguments: StoreKind.allCases)
    func purged(_ kind: StoreKind) async throws {
        try await withHouse(kind, retention: nil) { fixture in
            try await fixture.keep(TimeWindow(begin: noon - 8 * hourMicroseconds, end: noon))
            try await fixture.catalogue.purge(fixture.channel.id, graceSeconds: 7200)
            let service = fixture.service(grace: 7200)
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 0, files: 10))
            try await fixture.endGrace()
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 0, files: 0))
            #expect(try await fixture.store.contains(.key(fixture.channel.id, keyName)) == false)
            #expect(try fixture.entries().filter { $0.contains(".") }.isEmpty)
        }
    }

    @Test(
        "Recording stops below half of the floor while the catalogue is unavailable",
        arguments: [false, true])
    func catalogueAway(isUsedUp: Bool) async throws {
        // Ten segments have taken 10,002 of 20,000 bytes.
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, space: space) { fixture in
            let diskGuard = DiskGuard()
            let service = fixture.service(floor: .bytes(isUsedUp ? 30_000 : 12_000), diskGuard)
            await fixture.pool.close()
            await #expect(throws: CatalogueError.self) { try await service.keepSpaceFree() }
            #expect(diskGuard.isFull == isUsedUp)
            diskGuard.set("the disk is full")
            await #expect(throws: CatalogueError.self) { try await service.keepSpaceFree() }
            #expect(diskGuard.isFull, "what was stopped below the floor stays so")
        }
    }

    @Test("A step that fails does not keep the steps after it from running")
    func failingStep() async throws {
        try await withHouse(retention: 3600) { fixture in
            for table in ["pending_deletion_object", "intake"] {
                _ = try await fixture.pool.query(
                    "ALTER TABLE \(identifier: table) RENAME TO \(identifier: "x" + table)")
            }
            let later = noon + 240 * hourMicroseconds
            let lines = LogLines()
            let clock = ManualClock(wall: later)
            let service = fixture.service(
                clock: clock, databaseTime: { clock.clock.now() }, logger: lines.logger)
            await service.expireByRetention()
            clock.advance(by: .seconds(300))
            for _ in 0..<10 { await service.expireByRetention() }
            let partitions: Statement = "SELECT FROM pg_class WHERE relname = 'segment_20240101'"
            #expect(try await fixture.pool.query(partitions).isEmpty)
            // Sections and keys, identities and source runs; in the last seven rounds also formats.
            #expect(lines.all.filter { $0 == "A step of retention failed" }.count == 40)
        }
    }

    @Test("An hour that cannot be deleted does not block the others and is tried again")
    func stuck() async throws {
        try await withHouse(.directory, retention: 5 * 3600) { fixture in
            let folder = try #require(fixture.folder).path
            let stuck = "news/v0/2024-01-01/02/1704074400000.ts"
            try FileManager.default.removeItem(atPath: "\(folder)/\(stuck)")
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(stuck)/x", withIntermediateDirectories: true)
            try await fixture.expireAll(fixture.service())
            #expect(try fixture.entries().filter { $0.hasSuffix(".ts") }.count == 6)
            try FileManager.default.removeItem(atPath: "\(folder)/\(stuck)")
            try await fixture.endGrace()
            try await fixture.expireAll(fixture.service())
            #expect(try fixture.entries().filter { $0.contains("/02") }.isEmpty)
        }
    }

    @Test("An hour that is scheduled again while its files are deleted stays scheduled")
    func scheduledAgain() async throws {
        try await withHouse(retention: 5 * 3600) { fixture in
            try await fixture.catalogue.expire(
                fixture.channel, before: noon - 5 * hourMicroseconds, graceSeconds: 0)
            let hour = try #require(try await fixture.catalogue.pendingDeletionHours(limit: 1).first)
            _ = try await fixture.pool.query(
                "UPDATE pending_deletion_hour SET not_before = now() - interval '1 second'")
            try await fixture.catalogue.completeDeletion(hour)
            #expect(
                try await fixture.catalogue.pendingDeletionHours(limit: 10).contains { $0.hour == hour.hour })
        }
    }

    @Test("A channel whose settings cannot be read does not keep a full disk from getting space")
    func unreadable() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, space: space) { fixture in
            _ = try await fixture.pool.query("UPDATE channel SET settings = '{}'")
            let diskGuard = DiskGuard()
            try await fixture.service(floor: .bytes(14_000), diskGuard).keepSpaceFree()
            #expect(try await fixture.left() == (facts: 5, files: 5))
            #expect(!diskGuard.isFull)
        }
    }

    @Test("Space is freed on a host whose clock begins at 1970")
    func clockAtItsBegin() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, space: space) { fixture in
            let diskGuard = DiskGuard()
            let service = fixture.service(
                floor: .bytes(14_000), at: Instant(seconds: 86_400), diskGuard)
            try await service.keepSpaceFree()
            #expect(try await fixture.left() == (facts: 5, files: 5))
            #expect(!diskGuard.isFull)
        }
    }

    @Test("All keys whose grace period is over are deleted in one round")
    func manyObjects() async throws {
        try await withHouse(retention: nil) { fixture in
            let names = (0..<2000).map { numberedKey($0) }
            for name in names { try await fixture.store.put([1], as: .key(fixture.channel.id, name)) }
            try await fixture.schedule(names)
            await fixture.service().expireByRetention()
            #expect(try await fixture.pendingObjectCount() == 0)
            for name in names {
                #expect(try await !fixture.store.contains(.key(fixture.channel.id, name)))
            }
        }
    }

    @Test("A key that cannot be deleted does not block the others and is tried again")
    func stuckObject() async throws {
        try await withHouse(.directory, retention: nil) { fixture in
            let names = (0..<3).map { numberedKey($0) }
            let path = try #require(fixture.folder).path + "/news/keys/" + names[0]
            try FileManager.default.createDirectory(
                atPath: path + "/x", withIntermediateDirectories: true)
            for name in names.dropFirst() {
                try await fixture.store.put([1], as: .key(fixture.channel.id, name))
            }
            try await fixture.schedule(names)
            let pending: Statement = "SELECT FROM pending_deletion_object WHERE not_before > now()"
            await fixture.service().expireByRetention()
            for name in names.dropFirst() {
                #expect(try await !fixture.store.contains(.key(fixture.channel.id, name)))
            }
            #expect(try await fixture.pool.query(pending).count == 1)
            try FileManager.default.removeItem(atPath: path)
            try await fixture.endGrace()
            await fixture.service().expireByRetention()
            #expect(try await fixture.pendingObjectCount() == 0)
        }
    }
}
