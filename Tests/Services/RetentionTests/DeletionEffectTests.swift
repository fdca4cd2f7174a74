import Catalogue
import Concurrency
import SegmentStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Retention

/// An archive of 20,000 bytes whose disk does not give back what is deleted, or not at once.
private final class HeldStore: SegmentStore {
    struct State {
        /// Whether the deletions of an hour fail.
        var fails: @Sendable (ArchiveHour) -> Bool = { _ in false }
        /// Whether deleted bytes stay in use.
        var holds = false
        var held: Int64 = 0
        /// What others have on the disk.
        var others: Int64 = 0
        /// Told of each deletion.
        var wasDeleted: @Sendable (Int64) -> Void = { _ in }
    }

    let state = Mutex(State())
    private let store = MemorySegmentStore(
        space: StorageSpace(totalBytes: 1 << 40, availableBytes: 20_000))

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    func makeDraft() async throws(StoreError) -> SegmentDraft { try await store.makeDraft() }

    func source(of key: ArchiveKey, range: Range<UInt64>?) async throws(StoreError) -> ObjectSource {
        try await store.source(of: key, range: range)
    }

    func sourceWithoutBlocking(of key: ArchiveKey) throws(StoreError) -> ObjectSource? {
        try store.sourceWithoutBlocking(of: key)
    }

    func contains(_ key: ArchiveKey) async throws(StoreError) -> Bool { try await store.contains(key) }

    func segments(of hour: ArchiveHour) async throws(StoreError) -> [SegmentName] {
        try await store.segments(of: hour)
    }

    func delete(_ segments: [SegmentName], of hour: ArchiveHour) async throws(StoreError) -> Deleted {
        if state.withLock({ $0.fails })(hour) { throw .readOnly }
        let deleted = try await store.delete(segments, of: hour)
        change { if $0.holds { $0.held += deleted.bytes } }
        state.withLock { $0.wasDeleted }(deleted.bytes)
        return deleted
    }

    func delete(_ key: ArchiveKey) async throws(StoreError) { try await store.delete(key) }

    func space() async throws(StoreError) -> StorageSpace? {
        var space = try await store.space()
        space?.availableBytes -= state.withLock { $0.held + $0.others }
        return space
    }
}

/// Retention below a floor, in an archive of ten segments that took 10,002 of 20,000 bytes.
private struct PressureStage {
    let fixture: RetentionFixture
    let store: HeldStore
    let service: RetentionService
    let clock = ManualClock(wall: noon)
    let diskGuard = DiskGuard()
    let lines = LogLines()

    init(_ fixture: RetentionFixture, _ store: HeldStore, floor: Int64) {
        (self.fixture, self.store) = (fixture, store)
        service = fixture.service(
            floor: .bytes(floor), clock: clock, databaseTime: { noon }, diskGuard, logger: lines.logger)
    }

    /// Others have so many bytes, and write more while an hour is deleted, which takes a second.
    func write(_ bytes: Int64, from others: Int64) {
        store.change { state in
            state.others = others
            state.wasDeleted = { [unowned store] _ in
                clock.advance(by: .seconds(1))
                store.change { $0.others += bytes }
            }
        }
    }

    /// Lets time pass as the service does: a look in each second, a round in each fifth.
    func pass(_ seconds: Int, _ each: (Int) -> Void = { _ in }) async throws {
        for second in 0..<seconds {
            if second % 5 == 0 { try await service.keepSpaceFree() }
            clock.advance(by: .seconds(1))
            each(second)
            try await service.watchSpace()
        }
    }

    func count(_ line: String) -> Int { lines.all.filter { $0.hasPrefix(line) }.count }
}

@Suite("Deletions that free no space, or free it late")
struct DeletionEffectTests {
    private func withStage(
        floor: Int64, _ body: (PressureStage) async throws -> Void,
    ) async throws {
        let store = HeldStore()
        try await withHouse(retention: nil, in: store) { fixture in
            try await body(PressureStage(fixture, store, floor: floor))
        }
    }

    @Test("Next to nothing expires while files cannot be deleted; recording stops until they can be")
    func undeletable() async throws {
        try await withStage(floor: 14_000) { stage in
            stage.store.change { $0.fails = { _ in true } }
            try await stage.pass(5)
            #expect(try await stage.fixture.left() == (facts: 9, files: 10))
            #expect(!stage.diskGuard.isFull, "more than half of the floor is free")
            stage.store.change { $0.others += 3000 }
            try await stage.pass(5)
            #expect(stage.diskGuard.isFull)
            stage.store.change { $0.others = 0 }
            try await stage.pass(1790)
            let left = try await stage.fixture.left()
            #expect(left.facts >= 5 && left.files == 10)
            #expect(stage.count("Recording stops") == 1)
            #expect(stage.count("Cannot delete the files of an hour") < 200)

            stage.store.change { $0.fails = { _ in false } }
            try await stage.pass(65)
            #expect(try await stage.fixture.left() == (facts: 5, files: 5))
            #expect(!stage.diskGuard.isFull)
            #expect(stage.count("Recording continues") == 1)
        }
    }

    @Test("Few segments expire while snapshots hold what is deleted; recording stops until they are gone")
    func snapshots() async throws {
        try await withStage(floor: 18_900) { stage in
            stage.store.change { $0.holds = true }
            try await stage.pass(50)
            #expect(try await stage.fixture.left() == (facts: 6, files: 6))
            #expect(!stage.diskGuard.isFull, "half of the floor is free, and the space may come late")
            try await stage.pass(550)
            let left = try await stage.fixture.left()
            #expect(left == (facts: 3, files: 3))
            #expect(stage.diskGuard.isFull)
            #expect(stage.count("Recording stops") == 1)

            stage.store.change { ($0.holds, $0.held) = (false, 0) }
            try await stage.pass(5)
            #expect(try await stage.fixture.left() == (facts: 1, files: 1))
            #expect(!stage.diskGuard.isFull)
        }
    }

    @Test("Where space comes half a minute late, just enough expires, and recording goes on")
    func late() async throws {
        try await withStage(floor: 14_000) { stage in
            stage.store.change { $0.holds = true }
            try await stage.pass(200) { second in
                if second % 30 == 29 { stage.store.change { $0.held = 0 } }
            }
            #expect(try await stage.fixture.left() == (facts: 5, files: 5))
            #expect(!stage.diskGuard.isFull)
            #expect(stage.count("Recording stops") == 0)
        }
    }

    @Test("What others write while space comes late does not hide that it comes")
    func lateWhileWriting() async throws {
        try await withStage(floor: 10_500) { stage in
            stage.store.change { $0.holds = true }
            try await stage.pass(600) { second in
                stage.store.change { state in
                    if second % 90 == 0 { state.others += 1000 }
                    if second % 5 == 4 { state.held = 0 }
                }
            }
            #expect(try await stage.fixture.left() == (facts: 2, files: 2))
            #expect(!stage.diskGuard.isFull)
            #expect(stage.count("Recording stops") == 0)
        }
    }

    @Test("A round deletes what is short at its begin, not what others take meanwhile")
    func onlyWhatIsShort() async throws {
        try await withStage(floor: 12_000) { stage in
            let store = stage.store
            // Another program takes what becomes free.
            store.change { state in
                state.wasDeleted = { [unowned store] bytes in store.change { $0.others += bytes / 2 } }
            }
            try await stage.service.keepSpaceFree()
            #expect(try await stage.fixture.left() == (facts: 7, files: 7))
            try await stage.service.keepSpaceFree()
            #expect(try await stage.fixture.left() == (facts: 6, files: 6))
        }
    }

    @Test("An hour that cannot be deleted costs a pause, and others are deleted")
    func oneStuckHour() async throws {
        try await withStage(floor: 14_000) { stage in
            let stuck = noon - 10 * hourMicroseconds
            stage.store.change { $0.fails = { $0.instant == stuck } }
            try await stage.pass(60) { _ in #expect(!stage.diskGuard.isFull) }
            #expect(try await stage.fixture.left() == (facts: 9, files: 10))
            try await stage.pass(5)
            #expect(try await stage.fixture.left() == (facts: 4, files: 5))
            #expect(!stage.diskGuard.isFull)
        }
    }

    @Test("A channel whose files cannot be deleted loses next to nothing, and files of others are deleted")
    func stuckChannel() async throws {
        try await withStage(floor: 14_000) { stage in
            let old = try await stage.fixture.another("old", until: noon - 100 * hourMicroseconds)
            stage.store.change {
                $0.fails = { $0.channel == old.channel.id }
                // Both channels together would take four bytes more than there are.
                $0.others = -9998
            }
            try await stage.pass(5) { _ in #expect(!stage.diskGuard.isFull) }
            #expect(try await stage.fixture.left() == (facts: 5, files: 5))
            #expect(try await old.left() == (facts: 9, files: 10))
            // The old one is tried again, and ever more seldom.
            for _ in 0..<4 {
                stage.store.change { $0.others += 1000 }
                try await stage.pass(3600) { _ in #expect(!stage.diskGuard.isFull) }
            }
            #expect(try await stage.fixture.left() == (facts: 1, files: 1))
            #expect(try await old.left() == (facts: 6, files: 10))
        }
    }

    @Test("Deletions have an effect where more is written meanwhile than each of them frees")
    func muchIsWritten() async throws {
        try await withStage(floor: 66_000) { stage in
            stage.write(1300, from: -100_000)
            try await stage.pass(33) { _ in stage.store.change { $0.others += 1300 } }
            #expect(try await stage.fixture.left() == (facts: 10, files: 10))
            try await stage.pass(30) { _ in stage.store.change { $0.others += 1300 } }
            #expect(try await stage.fixture.left() == (facts: 0, files: 0))
            #expect(stage.service.effect.failureCause == nil)
        }
    }

    @Test("Deletions without an effect are told from those of which others take the space")
    func muchIsWrittenBesideSnapshots() async throws {
        try await withStage(floor: 66_000) { stage in
            stage.store.change { $0.holds = true }
            stage.write(600, from: -75_000)
            try await stage.pass(30) { _ in stage.store.change { $0.others += 600 } }
            #expect(try await stage.fixture.left() == (facts: 10, files: 10))
            try await stage.pass(80) { second in
                #expect(second > 65 || !stage.diskGuard.isFull)
                stage.store.change { $0.others += second < 40 ? 600 : 0 }
            }
            #expect(try await stage.fixture.left().facts >= 4)
            #expect(stage.service.effect.failureCause == .withoutEffect)
            #expect(stage.diskGuard.isFull)
        }
    }
}
