import Files
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Journal

@Suite("The log of all channels")
struct GroupLogTests {
    private static let bounds = FileBounds(doneFileByteCount: 1, hasLog: true, groupPause: .zero)

    private func channel(_ number: Int) throws -> ChannelID {
        try #require(ChannelID("ch\(number)"))
    }

    private func logs(_ folder: JournalFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.log")
    }

    /// Leaves a journal as a killed process does: nothing is closed.
    private func crash(
        _ folder: JournalFolder, bounds: FileBounds = bounds, _ body: (Journal) async throws -> Void,
    ) async throws {
        do { try await body(try folder.open(bounds: bounds)) }
        // The lock goes with the last reference.
        try await eventually("the lock") {
            let lock = open(folder.path + "/.lock", O_RDWR)
            defer { close(lock) }
            return flock(lock, LOCK_EX | LOCK_NB) == 0
        }
    }

    @Test("What many channels write is durable by a few syncs of one file")
    func sharing() async throws {
        let folder = JournalFolder()
        let syncs = Mutex<[String]>([])
        var bounds = Self.bounds
        bounds.groupPause = .milliseconds(20)
        let journal = try folder.open(bounds: bounds) { operation, path in
            if operation == .sync { syncs.withLock { $0.append(path) } }
            return nil
        }
        for number in 0..<64 { _ = try await journal.channel(try channel(number)).waitingCount() }
        syncs.withLock { $0 = [] }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                let channel = try journal.channel(try channel(number))
                group.addTask { _ = try await channel.append([sourceRun(Int64(number)), loss()]) }
            }
            try await group.waitForAll()
        }
        let files = syncs.withLock { $0 }.filter { $0.hasSuffix(".jsonl") }
        #expect((1...16).contains(files.count))
        #expect(files.allSatisfy { $0.contains("/.log/") })
        for number in 0..<64 {
            let replayed = try await journal.channel(try channel(number)).replay().map(\.1)
            #expect(replayed == [sourceRun(Int64(number)), loss()])
        }
        await journal.close()
        #expect(try logs(folder).isEmpty)
    }

    @Test("What a crash has taken from a channel's file is there again", arguments: [nil, 0, 10, 300, 700])
    func restored(_ left: Int?) async throws {
        let folder = JournalFolder()
        try await crash(folder) { journal in
            for id in 1...6 {
                _ = try await journal.channel(try news()).append([sourceRun(Int64(id)), loss()])
            }
        }
        let whole = try folder.bytes("000001.jsonl")
        if let left {
            try folder.write(Array(whole.prefix(left)), to: "000001.jsonl")
        } else {
            try FileManager.default.removeItem(atPath: folder.channelPath)
        }
        for _ in 0..<2 {
            try await folder.run(bounds: Self.bounds) { journal in
                let entries = try await journal.replay().map(\.1)
                #expect(entries == (1...6).flatMap { [sourceRun(Int64($0)), loss()] })
            }
            #expect(try folder.bytes("000001.jsonl") == whole)
        }
        #expect(try logs(folder).isEmpty)
    }

    @Test("A file whose entries are done does not come back")
    func done() async throws {
        let folder = JournalFolder()
        try await crash(folder) { journal in
            let channel = try journal.channel(try news())
            await channel.trim(try await channel.append([sourceRun(1), sourceRun(2)]))
            _ = try await channel.append([sourceRun(3)])
        }
        let left = try await folder.run(bounds: Self.bounds) { try await $0.replay().map(\.1) }
        #expect(left == [sourceRun(3)])
    }

    @Test("The log ends at its length, when what it has lines of is synced")
    func ends() async throws {
        let folder = JournalFolder()
        let syncs = Mutex<Set<String>>([])
        var bounds = Self.bounds
        bounds.logByteCount = 20_000
        let journal = try folder.open(bounds: bounds) { operation, path in
            if operation == .sync { syncs.withLock { _ = $0.insert(path) } }
            return nil
        }
        let channel = try journal.channel(try news())
        for number in 0..<60 { _ = try await channel.append([try segment(number)]) }
        #expect(try logs(folder).count <= 1)
        #expect(syncs.withLock { $0.contains(folder.channelPath + "/000001.jsonl") })
        await journal.close()
        #expect(try await folder.run { try await $0.replay().count } == 60)
    }

    @Test("What a failed sync has dropped of a channel's file is written again before the log goes")
    func dropped() async throws {
        let folder = JournalFolder()
        let failures = Counter()
        let file = folder.channelPath + "/000001.jsonl"
        var bounds = Self.bounds
        bounds.logByteCount = 20_000
        let journal = try folder.open(bounds: bounds) { operation, path in
            guard operation == .sync, path == file, failures.add() == 1 else { return nil }
            // The system says it once, and has dropped what it could not write.
            let handle = FileHandle(forUpdatingAtPath: file)
            try? handle?.write(contentsOf: Data(count: 4096))
            return EIO
        }
        let channel = try journal.channel(try news())
        for number in 0..<60 { _ = try await channel.append([try segment(number)]) }
        await journal.close()
        #expect(failures.value > 1)
        #expect(try logs(folder).isEmpty)
        let kept = try await folder.run { try await $0.replay().map(\.1) }
        #expect(try kept == (0..<60).map { try segment($0) })
    }

    @Test(
        "The log stays when a sync of a channel's file fails, and the next start writes its lines again",
        arguments: [nil, ENOSPC])
    func droppedAtTheEnd(atStart number: Int32?) async throws {
        let folder = JournalFolder()
        let file = folder.channelPath + "/000001.jsonl"
        let journal = try folder.open(bounds: Self.bounds) { operation, path in
            operation == .sync && path == file ? EIO : nil
        }
        _ = try await journal.channel(try news()).append([sourceRun(1), sourceRun(2)])
        await journal.close()
        #expect(try logs(folder).count == 1)
        let steps = Mutex<[FileOperation]>([])
        let again = try folder.open(bounds: Self.bounds) { operation, path in
            if path == file { steps.withLock { $0.append(operation) } }
            return path == file && operation == .write ? number : nil
        }
        let last: [FileOperation] = number == nil ? [.write, .write, .sync] : [.write, .open, .sync]
        #expect(steps.withLock { $0 }.suffix(3) == last)
        #expect(try logs(folder).isEmpty)
        #expect(try await again.channel(try news()).replay().map(\.1) == [sourceRun(1), sourceRun(2)])
        await again.close()
    }

    @Test("A line that the log has is there where one before it is missing in file and log")
    func hole() async throws {
        let folder = JournalFolder()
        try await crash(folder) { journal in
            let channel = try journal.channel(try news())
            for id in 1...3 { _ = try await channel.append([sourceRun(Int64(id))]) }
        }
        let log = folder.path + "/.log/" + (try #require(try logs(folder).first))
        let records = try Array(Data(contentsOf: URL(filePath: log))).split(separator: 0x0A)
        try Data(records.last.map { $0 + [0x0A] } ?? []).write(to: URL(filePath: log))
        let first = try folder.bytes("000001.jsonl").split(separator: 0x0A).first
        try folder.write(Array(try #require(first)) + [0x0A], to: "000001.jsonl")
        let kept = try await folder.run(bounds: Self.bounds) { try await $0.replay().map(\.1) }
        #expect(kept == [sourceRun(1), sourceRun(3)])
    }

    @Test("Where the log cannot be written, the channel's own file is synced", arguments: [EIO, ENOSPC])
    func broken(_ number: Int32) async throws {
        let folder = JournalFolder()
        let journal = try folder.open(bounds: Self.bounds) { operation, path in
            operation == .sync && path.contains("/.log/") ? number : nil
        }
        let channel = try journal.channel(try news())
        for id in 1...3 { _ = try await channel.append([sourceRun(Int64(id))]) }
        #expect(try await channel.replay().map(\.1) == [sourceRun(1), sourceRun(2), sourceRun(3)])
        await journal.close()
        #expect(
            try await folder.run { try await $0.replay().map(\.1) } == [
                sourceRun(1), sourceRun(2), sourceRun(3),
            ])
    }

    @Test("A record reads back as it was written, and none leads out of the journal")
    func records() {
        let record = LogRecord(path: "news/000001.jsonl", content: .line(Array("a b  c\n".utf8), 12))
        #expect(LogRecord(record.payload) == record)
        let removed = LogRecord(path: "news/000001.jsonl", content: .removed)
        #expect(LogRecord(removed.payload) == removed)
        for text in [
            "", "x", "../000001.jsonl 1 a", "news/../000001.jsonl 1 a", "news/a.jsonl 1 a",
            "news/000001.jsonl -1 a", "news/000001.jsonl x a", ".log/000001.jsonl 0 a",
        ] {
            #expect(LogRecord(Array(text.utf8)) == nil, "\(text)")
        }
    }
}
