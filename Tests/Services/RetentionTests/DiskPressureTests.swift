import Catalogue
import Concurrency
import Foundation
import Postgres
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Retention

@Suite("Retention while the disk has too little space")
struct DiskPressureTests {
    @Test("Below the floor just enough of the oldest segments are deleted, and recording continues")
    func pressure() async throws {
        // Ten segments have taken 10,002 of 20,000 bytes, and 14,000 must be free.
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, space: space) { fixture in
            let diskGuard = DiskGuard()
            try await fixture.service(floor: .bytes(14_000), diskGuard).keepSpaceFree()
            #expect(try await fixture.left() == (facts: 5, files: 5))
            #expect(!diskGuard.isFull)
        }
    }

    @Test("A round with more to delete than its steps allow does not stop recording")
    func manySteps() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 1_000_000)
        try await withHouse(retention: nil, space: space) { fixture in
            for number in 0..<21 { _ = try await fixture.another("c\(number)", until: noon) }
            // 220 segments take 1,000 bytes each; more than 200 steps are needed.
            let diskGuard = DiskGuard()
            let service = fixture.service(floor: .bytes(985_000), diskGuard)
            try await service.keepSpaceFree()
            #expect(!diskGuard.isFull)
            try await service.keepSpaceFree()
            #expect(!diskGuard.isFull)
            let left = try await fixture.pool.query("SELECT FROM segment").count
            #expect((10...19).contains(left))
        }
    }

    @Test(
        "Formats of segments that a full disk took expire too, even in channels without limits",
        arguments: [nil, Int64(1) << 40])
    func objectsUnderPressure(maxBytes: Int64?) async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, maxBytes: maxBytes, space: space) { fixture in
            let service = fixture.service(floor: .bytes(14_000))
            try await service.keepSpaceFree()
            #expect(try await fixture.left().facts == 5)
            try await fixture.expireAll(service)
            let id = fixture.channel.id
            #expect(try await fixture.store.contains(.key(id, keyName)) == false)
            #expect(try await fixture.store.contains(.initialization(id, video, initName)) == false)
            #expect(try await fixture.left() == (facts: 5, files: 5))
        }
    }

    @Test("Below the floor files of expired segments are deleted first, without waiting for the grace period")
    func expedited() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: 8 * 3600, space: space) { fixture in
            let service = fixture.service(grace: 7200, floor: .bytes(11_000))
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 8, files: 10))
            try await service.keepSpaceFree()
            #expect(try await fixture.left() == (facts: 8, files: 8))
        }
    }

    @Test("If only kept recordings are left below the floor, recording stops")
    func floor() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: nil, space: space) { fixture in
            let begin = noon - 8 * hourMicroseconds
            try await fixture.keep(TimeWindow(begin: begin, end: begin + hourMicroseconds))
            let diskGuard = DiskGuard()
            let total = try #require(try await fixture.store.space()).totalBytes
            try await fixture.service(floor: .bytes(total - 1), diskGuard).keepSpaceFree()
            #expect(try await fixture.left() == (facts: 1, files: 1))
            #expect(diskGuard.isFull)
        }
    }

    @Test("Recording stops if no more files can be created, however many bytes are free")
    func files() async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 1 << 40, availableFiles: 100)
        try await withHouse(retention: nil, space: space) { fixture in
            let diskGuard = DiskGuard()
            try await fixture.service(floor: .bytes(0), diskGuard).keepSpaceFree()
            #expect(try await fixture.left() == (facts: 6, files: 6), "no more can be created then")
            #expect(diskGuard.isFull)
        }
    }

    @Test("Before the catalogue is ready, recording stops below half of the floor", arguments: [false, true])
    func floorAtStart(isShort: Bool) async throws {
        let space = StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000)
        try await withHouse(retention: 3600, space: space) { fixture in
            let diskGuard = DiskGuard()
            let service = RetentionService(
                catalogue: fixture.catalogue, store: fixture.store,
                configuration: .init(graceSeconds: 0, floor: .bytes(isShort ? 40_000 : 14_000)),
                diskGuard: diskGuard, isCatalogueReady: { false }, clock: .system, logger: silentLogger)
            let running = Task { await service.run() }
            if isShort {
                try await eventually { diskGuard.isFull }
            } else {
                try await Task.sleep(for: .milliseconds(200))
                #expect(!diskGuard.isFull)
            }
            running.cancel()
            await running.value
            #expect(try await fixture.left() == (facts: 10, files: 10))
        }
    }

    @Test("A store without a limit is never full")
    func noLimit() async throws {
        try await withHouse(retention: nil, hasLimit: false) { fixture in
            let diskGuard = DiskGuard()
            let service = fixture.service(floor: .bytes(1 << 60), diskGuard)
            try await service.keepSpaceFree()
            #expect(try await fixture.left() == (facts: 10, files: 10))
            await fixture.pool.close()
            try await service.keepSpaceFree()
            #expect(!diskGuard.isFull)
        }
    }

    @Test("Recording continues once there is space again")
    func roomAgain() async throws {
        try await withHouse(retention: nil) { fixture in
            let diskGuard = DiskGuard()
            diskGuard.set("the disk is full")
            let lines = LogLines()
            let service = fixture.service(
                floor: .bytes(1), clock: ManualClock(wall: noon), databaseTime: { noon }, diskGuard,
                logger: lines.logger)
            for _ in 0..<2 { try await service.keepSpaceFree() }
            #expect(!diskGuard.isFull)
            #expect(lines.all == ["Recording continues: the disk has space again"])
        }
    }
}
