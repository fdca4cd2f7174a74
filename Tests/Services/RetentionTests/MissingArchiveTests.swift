import Catalogue
import Concurrency
import Foundation
import Postgres
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Retention

@Suite("An archive without space, files or segments")
struct MissingArchiveTests {
    @Test("A floor that no disk of this size can have free costs no segment, and recording stops")
    func largeFloor() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, space: space) { fixture in
            let diskGuard = DiskGuard()
            try await fixture.service(floor: .bytes(1 << 40), diskGuard).keepSpaceFree()
            #expect(try await fixture.left() == (facts: 10, files: 10))
            #expect(diskGuard.isFull)
        }
    }

    @Test("Nothing expires to free space, or is forgotten, while the archive's disk is not mounted")
    func notMounted() async throws {
        try await withHouse(.directory, retention: 5 * 3600) { fixture in
            let archive = try #require(fixture.folder).path
            let (channel, elsewhere) = ("\(archive)/news", "\(archive)/elsewhere")
            try FileManager.default.moveItem(atPath: channel, toPath: elsewhere)
            let space = try #require(try await fixture.store.space())
            let (lines, clock) = (LogLines(), ManualClock(wall: noon))
            let service = fixture.service(
                floor: .bytes(space.totalBytes - 1), clock: clock, databaseTime: { noon },
                logger: lines.logger)
            for _ in 0..<3 { try await service.keepSpaceFree() }
            #expect(try await fixture.left() == (facts: 10, files: 0))
            // What is too old expires all the same; its files are deleted when they are there.
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 5, files: 0))
            #expect(lines.all.filter { $0.hasPrefix("The archive lacks most files") }.count == 1)
            #expect(try await fixture.pendingHourCount() == 5)
            try FileManager.default.moveItem(atPath: elsewhere, toPath: channel)
            clock.advance(by: .seconds(60))
            try await fixture.endGrace()
            await service.expireByRetention()
            #expect(try await fixture.left() == (facts: 5, files: 5))
            #expect(try await fixture.pendingHourCount() == 0)
        }
    }

    @Test("An hour of which someone has deleted the files does not stay scheduled")
    func deletedByHand() async throws {
        try await withHouse(.directory, retention: 8 * 3600) { fixture in
            for fact in fixture.facts.prefix(2) { try await fixture.store.delete(fact.key) }
            try await fixture.expireAll(fixture.service())
            #expect(try await fixture.left() == (facts: 8, files: 8))
            #expect(try await fixture.pendingHourCount() == 0)
        }
    }

    @Test("Of fewer than eight files nothing is concluded, and expiry goes on")
    func fewFiles() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, space: space) { fixture in
            for fact in fixture.facts.prefix(9) { try await fixture.store.delete(fact.key) }
            try await fixture.catalogue.expire(
                fixture.channel, before: noon - 5 * hourMicroseconds, graceSeconds: 0)
            let diskGuard = DiskGuard()
            try await fixture.service(floor: .bytes(19_900), diskGuard).keepSpaceFree()
            #expect(try await fixture.left() == (facts: 0, files: 0))
            #expect(!diskGuard.isFull)
        }
    }

    @Test("Renditions that hold nothing are not looked at")
    func emptyRenditions() async throws {
        try await withHouse(retention: nil) { fixture in
            _ = try await fixture.pool.query(
                """
                INSERT INTO rendition (channel_id, name, kind)
                SELECT channel_id, 'v' || number, kind FROM rendition, generate_series(1, 20) AS number
                """)
            #expect(try await fixture.catalogue.archiveSample(count: 32).count == 32)
        }
    }

    @Test("A deleted channel that holds nothing costs no transaction in each round")
    func purged() async throws {
        try await withHouse(retention: 0) { fixture in
            let clock = ManualClock(wall: noon + 240 * hourMicroseconds)
            let service = fixture.service(
                clock: clock, databaseTime: { clock.clock.now() }, logger: silentLogger)
            for _ in 0..<40 {
                await service.expireByRetention()
                clock.advance(by: .seconds(30))
            }
            #expect(try await fixture.left() == (facts: 0, files: 0))
            let revision: Statement = "SELECT revision FROM line"
            let before = try await fixture.pool.query(revision).first?.decode("revision", as: Int64.self)
            for _ in 0..<10 {
                await service.expireByRetention()
                clock.advance(by: .seconds(30))
            }
            let after = try await fixture.pool.query(revision).first?.decode("revision", as: Int64.self)
            #expect(before == after)
        }
    }
}
