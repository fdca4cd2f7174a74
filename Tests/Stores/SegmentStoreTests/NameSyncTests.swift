import Files
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import SegmentStore

@Suite("Names that are made durable together")
struct NameSyncTests {
    private func open(
        _ folder: TemporaryFolder,
        folderInterval: Duration = .seconds(120),
        fault: @escaping @Sendable (FileOperation, String) -> Int32? = { _, _ in nil },
    ) throws -> DirectorySegmentStore {
        try DirectorySegmentStore.open(
            folder.path, disk: Disk(fault: fault), logger: silentLogger, namePause: .milliseconds(20),
            folderInterval: folderInterval)
    }

    private func drafts(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(of: ".drafts")).filter {
            $0.hasSuffix(".part")
        }
    }

    /// Waits until a store that was dropped has given its lock back.
    private func end(_ folder: TemporaryFolder) async throws {
        try await eventually("the end of the store") {
            try FileManager.default.contentsOfDirectory(atPath: folder.path(of: ".drafts"))
                .allSatisfy { !$0.hasSuffix(".lock") }
        }
    }

    private func key(_ number: Int) throws -> ArchiveKey { try segmentKey(in: "ch\(number)") }

    @Test("The folders of many renditions are made once in an hour, not with each segment")
    func folders() async throws {
        let folder = try TemporaryFolder("archive")
        let made = Mutex(0)
        let store = try open(folder) { operation, _ in
            if operation == .makeFolder { made.withLock { $0 += 1 } }
            return nil
        }
        // More than 4,096 folders.
        for round in 0..<2 {
            made.withLock { $0 = 0 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1400 {
                    let key = try segmentKey(eight + Int64(round) * 4_000_000, in: "ch\(number)")
                    group.addTask { try await store.put([1], as: key) }
                }
                try await group.waitForAll()
            }
        }
        #expect(made.withLock { $0 } == 0)
    }

    @Test("Those of many folders share few syncs, behind that of each file")
    func sharing() async throws {
        let folder = try TemporaryFolder("archive")
        let steps = Mutex<[String]>([])
        let store = try open(folder) { operation, path in
            if operation == .sync { steps.withLock { $0.append(path) } }
            return nil
        }
        // The folders are there.
        for number in 0..<40 {
            try await store.put([0], as: try segmentKey(eight + 1_000_000, in: "ch\(number)"))
        }
        steps.withLock { $0 = [] }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let key = try key(number)
                group.addTask { try await store.put([UInt8(number)], as: key) }
            }
            try await group.waitForAll()
        }
        let all = steps.withLock { $0 }
        #expect(all.filter { $0.hasSuffix(".part") }.count == 40)
        let names = all.filter { !$0.hasSuffix(".part") }
        #expect((1...20).contains(names.count))
        #expect(names.allSatisfy { $0.hasSuffix("/.drafts") })
        for number in 0..<40 { #expect(try await store.read(try key(number)) == [UInt8(number)]) }
    }

    @Test("A name that a crash has taken comes back at the next opening, and no draft stays")
    func restored() async throws {
        let folder = try TemporaryFolder("archive")
        do {
            let store = try open(folder)
            for number in 0..<3 { try await store.put([UInt8(number)], as: try key(number)) }
            try await store.put([9], as: .key(try channel(), "0123456789abcdef0123456789abcdef"))
        }
        try await end(folder)
        #expect(try drafts(folder).count == 4)
        try FileManager.default.removeItem(atPath: folder.path(of: "ch0"))
        try FileManager.default.removeItem(atPath: folder.path(of: "ch1/v0/2026-07-14/08/1784016000000.ts"))
        try FileManager.default.removeItem(atPath: folder.path(of: "news"))
        let store = try open(folder)
        for number in 0..<3 { #expect(try await store.read(try key(number)) == [UInt8(number)]) }
        #expect(try await store.read(.key(try channel(), "0123456789abcdef0123456789abcdef")) == [9])
        let modes = [
            "news/keys": 0o700, "ch0": 0o750, "ch0/v0/2026-07-14/08": 0o750,
            "ch0/v0/2026-07-14/08/1784016000000.ts": 0o640,
        ]
        for (path, mode) in modes {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: path))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
        }
        #expect(try drafts(folder).isEmpty)
    }

    @Test("Names of one folder that a crash has taken come back with one sync of the folder")
    func restoredTogether() async throws {
        let folder = try TemporaryFolder("archive")
        let keys = try (0..<5).map { try segmentKey(eight + Int64($0) * 1_000_000, in: "ch0") }
        let hour = folder.path(of: "ch0/v0/2026-07-14/08")
        do {
            let store = try open(folder)
            for key in keys { try await store.put([7], as: key) }
        }
        try await end(folder)
        for name in try FileManager.default.contentsOfDirectory(atPath: hour) {
            try FileManager.default.removeItem(atPath: "\(hour)/\(name)")
        }
        let syncs = Mutex(0)
        let isBroken = Switch()
        isBroken.value = true
        let reopen = {
            try self.open(folder) { operation, path in
                guard operation == .sync, path == hour else { return nil }
                syncs.withLock { $0 += 1 }
                return isBroken.value ? EIO : nil
            }
        }
        do { _ = try reopen() }
        #expect(syncs.withLock { $0 } == 1)
        #expect(try drafts(folder).count == 5)
        try await end(folder)
        isBroken.value = false
        let store = try reopen()
        #expect(syncs.withLock { $0 } == 2)
        for key in keys { #expect(try await store.read(key) == [7]) }
        #expect(try drafts(folder).isEmpty)
    }

    @Test("What was deleted does not come back at the next opening, and what was not does")
    func deleted() async throws {
        let folder = try TemporaryFolder("archive")
        let steps = Mutex<[String]>([])
        do {
            let store = try open(folder) { operation, path in
                if operation == .sync { steps.withLock { $0.append(path) } }
                return nil
            }
            for number in 0..<4 { try await store.put([UInt8(number)], as: try key(number)) }
            let later = try segmentKey(eight + 1_000_000, in: "ch0")
            try await store.put([9], as: later)
            steps.withLock { $0 = [] }
            let hour = ArchiveHour(channel: try channel("ch0"), rendition: video, instant: eight)
            #expect(try await store.delete([segmentName()], of: hour) == Deleted(files: 1, bytes: 1))
            try await store.delete(try key(1))
            try await store.delete(try key(2))
            #expect(steps.withLock { $0 } == Array(repeating: folder.path(of: ".drafts"), count: 3))
            #expect(try drafts(folder).count == 2)
        }
        try await end(folder)
        try FileManager.default.removeItem(atPath: folder.path(of: "ch3"))
        let store = try open(folder)
        for number in 0..<3 { #expect(try await store.contains(try key(number)) == false) }
        #expect(try await store.read(try segmentKey(eight + 1_000_000, in: "ch0")) == [9])
        #expect(try await store.read(try key(3)) == [3])
    }

    @Test("A file stays until its draft is gone, so that a second attempt deletes both")
    func deletedAgain() async throws {
        let folder = try TemporaryFolder("archive")
        let isBroken = Switch()
        do {
            let store = try open(folder) { operation, path in
                operation == .remove && path.contains("/.drafts/") && isBroken.value ? EIO : nil
            }
            try await store.put([1], as: try key(1))
            isBroken.value = true
            let hour = ArchiveHour(channel: try channel("ch1"), rendition: video, instant: eight)
            #expect(await failure { _ = try await store.delete([segmentName()], of: hour) } != nil)
            #expect(try await store.contains(try key(1)))
            isBroken.value = false
            #expect(try await store.delete([segmentName()], of: hour).files == 1)
        }
        try await end(folder)
        #expect(try await open(folder).contains(try key(1)) == false)
    }

    @Test("A name that cannot be made durable is taken back, and the next attempt is another one")
    func failed() async throws {
        let folder = try TemporaryFolder("archive")
        let isBroken = Switch()
        let store = try open(folder) { operation, path in
            operation == .sync && path.hasSuffix("/.drafts") && isBroken.value ? 5 : nil
        }
        isBroken.value = true
        #expect(await failure { try await store.put([1], as: try key(1)) } != nil)
        #expect(try await store.contains(try key(1)) == false)
        #expect(try drafts(folder).isEmpty)
        isBroken.value = false
        #expect(try await store.put([1], as: try key(1)).wasThere == false)
        #expect(try await store.put([1], as: try key(1)).wasThere)
    }

    @Test("Names whose folder could not be synced once come back at the next opening, others need not")
    func unsynced() async throws {
        let folder = try TemporaryFolder("archive")
        let hour = folder.path(of: "ch0/v0/2026-07-14/08")
        let failures = Mutex<[Int32]>([])
        let keys = try (0..<4).map { try segmentKey(eight + Int64($0) * 1_000_000, in: "ch0") }
        do {
            let store = try open(folder, folderInterval: .zero) { operation, path in
                operation == .sync && path == hour ? failures.withLock { $0.popLast() } : nil
            }
            try await store.put([0], as: keys[0])
            failures.withLock { $0 = [EIO] }
            for number in 1..<4 { try await store.put([UInt8(number)], as: keys[number]) }
            #expect(failures.withLock { $0.isEmpty })
            // The first one, whose folder was not synced, and the last one, whose folder is not synced yet.
            let left = try drafts(folder).compactMap(DraftFolder.committedPath).sorted()
            #expect(left == [0, 3].map { "ch0/v0/2026-07-14/08/178401600\($0)000.ts" })
        }
        try await end(folder)
        try FileManager.default.removeItem(atPath: hour + "/1784016000000.ts")
        let store = try open(folder)
        for number in 0..<4 { #expect(try await store.read(keys[number]) == [UInt8(number)]) }
        #expect(try drafts(folder).isEmpty)
    }

    @Test(
        "Where a committed file belongs is in its draft's name",
        arguments: [
            (
                "0123456789abcdef-7~news~v0~2026-07-14~08~1784016000000.ts.part",
                "news/v0/2026-07-14/08/1784016000000.ts"
            ),
            ("0123456789abcdef-7.part", nil), ("0123456789abcdef-7~..~x.part", nil),
            ("0123456789abcdef-7~news.part", nil),
        ])
    func paths(_ name: String, _ path: String?) {
        #expect(DraftFolder.committedPath(in: name) == path)
    }
}
