import Files
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Journal

@Suite("Appending to a journal")
struct GroupCommitTests {
    @Test("64 appends at once share few syncs, and each gets its own positions")
    func sharing() async throws {
        let folder = JournalFolder()
        let syncs = Counter()
        let journal = try folder.open { operation, path in
            if operation == .sync && path.hasSuffix(".jsonl") {
                syncs.add()
                // A sync that takes its time, so that the others gather meanwhile.
                usleep(200_000)
            }
            return nil
        }
        let channel = try journal.channel(try news())
        let positions = try await withThrowingTaskGroup(of: (Int, [JournalPosition]).self) { group in
            for number in 0..<64 {
                group.addTask {
                    (number, try await channel.append([try segment(number), sourceRun(Int64(number))]))
                }
            }
            return try await group.reduce(into: [Int: [JournalPosition]]()) { $0[$1.0] = $1.1 }
        }
        #expect((1...16).contains(syncs.value))
        let replayed = Dictionary(uniqueKeysWithValues: try await channel.replay())
        #expect(replayed.count == 128)
        for (number, pair) in positions {
            #expect(try pair.map { replayed[$0] } == [segment(number), sourceRun(Int64(number))])
        }
        await journal.close()
    }

    @Test("Entries are on the disk when the call returns")
    func durable() async throws {
        let folder = JournalFolder()
        let steps = Mutex<[String]>([])
        let journal = try folder.open { operation, path in
            let last = path.split(separator: "/").last.map(String.init) ?? ""
            if operation == .sync || operation == .write {
                steps.withLock { $0.append("\(operation) \(last)") }
            }
            return nil
        }
        let channel = try journal.channel(try news())
        _ = try await channel.append([sourceRun(1)])
        _ = try await channel.append([sourceRun(2)])
        #expect(
            steps.withLock { $0 } == [
                "sync journal", "sync news", "write 000001.jsonl", "sync 000001.jsonl",
                "write 000001.jsonl", "sync 000001.jsonl",
            ])
        await journal.close()
    }

    @Test(
        "After a failed sync the entries are written again in a new file, never the old one", arguments: [EIO]
    )
    func failedSync(_ number: Int32) async throws {
        let folder = JournalFolder()
        let syncs = Counter()
        let journal = try folder.open { operation, path in
            operation == .sync && path.hasSuffix(".jsonl") && syncs.add() == 2 ? number : nil
        }
        let channel = try journal.channel(try news())
        let first = try await channel.append([sourceRun(1)])
        let second = try await channel.append([sourceRun(2)])
        let third = try await channel.append([sourceRun(3)])
        #expect((first + second + third).map(\.file) == [1, 2, 2])
        #expect(try await channel.replay().map(\.1) == [sourceRun(1), sourceRun(2), sourceRun(3)])
        await channel.trim(first)
        #expect(try folder.files(".jsonl") == ["000002.jsonl"])
        await journal.close()
    }

    @Test("A disk that is full refuses the entries, leaves nothing, and the next ones are taken")
    func diskFull() async throws {
        let folder = JournalFolder()
        let writes = Counter()
        let journal = try folder.open { operation, path in
            operation == .write && path.hasSuffix(".jsonl") && writes.add() == 1 ? ENOSPC : nil
        }
        let channel = try journal.channel(try news())
        let error = await failure { _ = try await channel.append([sourceRun(1)]) }
        #expect(error == .diskFull(path: folder.channelPath + "/000001.jsonl"))
        #expect(error?.isTransient == true)
        #expect(try folder.files().isEmpty)
        _ = try await channel.append([sourceRun(2)])
        #expect(try await channel.replay().map(\.1) == [sourceRun(2)])
        await journal.close()
    }

    @Test("A disk that stays broken is an error for all who wait")
    func brokenDisk() async throws {
        let folder = JournalFolder()
        let journal = try folder.open { operation, path in
            operation == .sync && path.hasSuffix(".jsonl") ? EIO : nil
        }
        let channel = try journal.channel(try news())
        let errors = await withTaskGroup(of: JournalError?.self) { group in
            for number in 0..<8 {
                group.addTask { await failure { _ = try await channel.append([sourceRun(Int64(number))]) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for error in errors {
            guard case .system(.sync, _, EIO) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(errors.count == 8)
        #expect(try folder.files().isEmpty)
        await journal.close()
    }

    @Test("A fact longer than a line may be is refused, and the others of its call with it")
    func tooLarge() async throws {
        let folder = JournalFolder()
        try await folder.run { (journal: ChannelJournal) async throws in
            let long = loss(note: String(repeating: "x", count: Limits.entryByteCount))
            let error = await failure { _ = try await journal.append([sourceRun(1), long]) }
            guard case .entryTooLarge(let count) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(count > Limits.entryByteCount)
            #expect(try await journal.replay().isEmpty)
        }
    }

    @Test("Files end at their length, and go when their entries are done, in any order")
    func rotation() async throws {
        let folder = JournalFolder()
        let bounds = FileBounds(fileByteCount: 20_000, doneFileByteCount: 1000)
        try await folder.run(bounds: bounds) { (journal: ChannelJournal) async throws in
            var positions: [JournalPosition] = []
            for _ in 0..<50 { positions += try await journal.append([kilobyte]) }
            #expect(Set(positions.map(\.file)) == [1, 2, 3])
            #expect(try folder.files(".jsonl").count == 3)
            let second = positions.filter { $0.file == 2 }
            await journal.trim(Array(second.dropLast()))
            #expect(try folder.files(".jsonl").count == 3)
            await journal.trim(second.suffix(1))
            #expect(try folder.files(".jsonl") == ["000001.jsonl", "000003.jsonl"])
            #expect(try folder.files(".done").isEmpty)
            await journal.trim(positions)
            #expect(try folder.files().isEmpty)
            #expect(try await journal.append([sourceRun(1)]).map(\.file) == [4])
        }
    }

    @Test("A channel whose facts are not taken is full at its bound, and goes on when some are done")
    func full() async throws {
        let folder = JournalFolder()
        let bounds = FileBounds(channelByteCount: 100_000, fileByteCount: 20_000)
        try await folder.run(bounds: bounds) { (journal: ChannelJournal) async throws in
            var positions: [JournalPosition] = []
            var error: JournalError?
            while error == nil && positions.count < 200 {
                error = await failure { positions += try await journal.append([kilobyte]) }
            }
            #expect(error == .full(try news()))
            #expect(error?.isTransient == true)
            #expect((80..<100).contains(positions.count))
            #expect(try await journal.replay().count == positions.count)
            await journal.trim(positions.filter { $0.file == 1 })
            _ = try await journal.append([kilobyte])
        }
    }

    @Test("Lines that are done do not count for the bound, though their files stay while others wait")
    func fullOfWaiting() async throws {
        let folder = JournalFolder()
        let bounds = FileBounds(
            channelByteCount: 100_000, fileByteCount: 20_000, totalByteCount: 100_000)
        // One line of each file waits.
        var files: Set<Int> = []
        try await folder.run(bounds: bounds) { (journal: ChannelJournal) async throws in
            for _ in 0..<200 {
                let positions = try await journal.append([kilobyte])
                await journal.trim(positions.filter { !files.insert($0.file).inserted })
            }
            #expect(try folder.files(".jsonl").count == files.count)
        }
        // The same holds after a restart.
        try await folder.run(bounds: bounds) { (journal: ChannelJournal) async throws in
            var count = try await journal.replay().count
            #expect(count == files.count && count >= 10)
            let error = await failure {
                while count < 200 {
                    _ = try await journal.append([kilobyte])
                    count += 1
                }
            }
            #expect(error?.isTransient == true)
            #expect((80..<100).contains(count))
        }
    }

    /// A fact that takes a little more than a thousand bytes.
    private var kilobyte: JournalEntry { loss(note: String(repeating: "x", count: 1000)) }
}
