import Concurrency
import Files
import Foundation
import Glibc
import TestSupport
import Testing
import Timeline

@testable import Journal

@Suite("Journal files that the catalogue has taken")
struct KeptFilesTests {
    private static let bounds = FileBounds(doneFileByteCount: 1, keptSeconds: 3600)

    /// Writes entries, of which the catalogue takes all at once.
    private static func enter(_ ids: ClosedRange<Int64>, in journal: ChannelJournal) async throws {
        for id in ids { await journal.trim(try await journal.append([sourceRun(id)])) }
    }

    @Test("are kept, over a restart too, and can be read again in the order of writing")
    func kept() async throws {
        let folder = JournalFolder()
        for ids in [Int64(1)...3, 4...6] {
            try await folder.run(bounds: Self.bounds) { journal in
                try await Self.enter(ids, in: journal)
                #expect(try await journal.waitingCount() == 0)
                #expect(try await journal.replay().isEmpty)
            }
            #expect(try folder.files(".jsonl").isEmpty)
        }
        try await folder.run(bounds: Self.bounds) { journal in
            let all = try await journal.replayEntered()
            #expect(all.map(\.1) == (1...6).map(sourceRun))
            #expect(try await journal.replayEntered(limit: 4).count == 4)
            #expect(
                try await journal.replayEntered(after: all[3].0).map(\.1) == [sourceRun(5), sourceRun(6)])
            #expect(try await journal.newestEntered(count: 2).map(\.1) == [sourceRun(5), sourceRun(6)])
        }
    }

    @Test("are read together with the done lines of the file that is being written, and what waits is not")
    func live() async throws {
        let folder = JournalFolder()
        try await folder.run(bounds: FileBounds(keptSeconds: 3600)) { journal in
            let lines = try await journal.append([sourceRun(1), sourceRun(2), sourceRun(3)])
            await journal.trim([lines[0], lines[2]])
            #expect(try await journal.replayEntered().map(\.1) == [sourceRun(1), sourceRun(3)])
            #expect(try await journal.newestEntered(count: 9).map(\.1) == [sourceRun(1), sourceRun(3)])
            #expect(try await journal.newestEntered(count: 9).map(\.0) == [lines[0], lines[2]])
        }
    }

    @Test("are removed after their time, and beyond their bound the oldest first")
    func removed() async throws {
        let folder = JournalFolder()
        let line = Int64(try JSONEncoder().encode(sourceRun(1)).count)
        var bounds = Self.bounds
        bounds.keptByteCount = 3 * line + 100
        try await folder.run(bounds: bounds) { journal in
            try await Self.enter(1...9, in: journal)
            #expect(try await journal.replayEntered().map(\.1) == (7...9).map(sourceRun))
        }
        try await folder.run(bounds: FileBounds(doneFileByteCount: 1, keptSeconds: 1)) { journal in
            try await eventually("the end of a second") {
                try await Self.enter(10...10, in: journal)
                return try await !journal.replayEntered().map(\.1).contains(sourceRun(9))
            }
        }
    }

    @Test("are removed after their time, but the newest, also where nothing comes any more")
    func quietChannel() async throws {
        let folder = JournalFolder()
        let clock = ManualClock(wall: HostClock.system.now())
        try await folder.run(bounds: Self.bounds, clock: clock.clock) { try await Self.enter(1...3, in: $0) }
        try await folder.run(bounds: Self.bounds, clock: clock.clock) { journal in
            let all = try await journal.replayEntered().map(\.1)
            #expect(all == (1...3).map(sourceRun))
            clock.advance(by: .seconds(3500))
            #expect(try await journal.replayEntered().map(\.1) == (1...3).map(sourceRun))
            clock.advance(by: .seconds(200))
            // What begins without the catalogue leaves them.
            #expect(try await journal.newestEntered(count: 9).map(\.1) == (1...3).map(sourceRun))
            #expect(try await journal.replayEntered().map(\.1) == [sourceRun(3)])
            #expect(try folder.keptFiles().count == 1)
        }
    }

    @Test("are removed after their time where nothing comes any more and the process begins again and again")
    func quietChannelAndRestarts() async throws {
        let folder = JournalFolder()
        let clock = ManualClock(wall: HostClock.system.now())
        try await folder.run(bounds: Self.bounds, clock: clock.clock) { try await Self.enter(1...3, in: $0) }
        for restart in 1...4 {
            try await folder.run(bounds: Self.bounds, clock: clock.clock) { journal in
                _ = try await journal.replayEntered()
                clock.advance(by: .seconds(1000))
                _ = try await journal.replayEntered()
                #expect(try folder.keptFiles().count == (restart < 4 ? 3 : 1))
            }
            // A start under a clock that is ahead makes none older.
            clock.stepWall(by: .seconds(86_400))
        }
    }

    @Test("go where the disk is nearly full, also of a channel to which nothing comes any more")
    func quietChannelOnFullDisk() async throws {
        let folder = JournalFolder()
        try await folder.run(bounds: Self.bounds) { try await Self.enter(1...3, in: $0) }
        #expect(try folder.keptFiles().count == 3)
        var bounds = Self.bounds
        bounds.keptFloor = .max
        try await folder.run(bounds: bounds) { journal in
            let entries = try await journal.replayEntered()
            #expect(entries.isEmpty)
            #expect(try folder.keptFiles().isEmpty)
        }
    }

    @Test("stay when the clock jumps ahead, however many are kept meanwhile, and age by the time that passes")
    func clockJump() async throws {
        let folder = JournalFolder()
        // The files of the disk have the host's clock, so that this one begins with it.
        let clock = ManualClock(wall: HostClock.system.now())
        try await folder.run(bounds: Self.bounds, clock: clock.clock) { journal in
            try await Self.enter(1...2, in: journal)
            clock.stepWall(by: .seconds(8 * 86_400))
            try await Self.enter(3...5, in: journal)
            #expect(try await journal.replayEntered().map(\.1) == (1...5).map(sourceRun))
        }
        try await folder.run(bounds: Self.bounds, clock: clock.clock) { journal in
            try await Self.enter(6...6, in: journal)
            #expect(try await journal.replayEntered().map(\.1) == (1...6).map(sourceRun))
            clock.advance(by: .seconds(3700))
            try await Self.enter(7...7, in: journal)
            #expect(try await !journal.replayEntered().map(\.1).contains(sourceRun(6)))
        }
    }

    @Test("stay when one start under a clock that is ahead follows another")
    func clockAhead() async throws {
        let folder = JournalFolder()
        let clock = ManualClock(wall: HostClock.system.now())
        for (id, days) in [(Int64(1), 0), (2, 8), (3, 0), (4, 0)] {
            clock.stepWall(by: .seconds(days * 86_400))
            try await folder.run(bounds: Self.bounds, clock: clock.clock) { journal in
                try await Self.enter(id...id, in: journal)
                #expect(try await journal.replayEntered().map(\.1) == (1...id).map(sourceRun))
            }
        }
    }

    @Test("Nothing is appended to a disk that is nearly full, and kept files go first")
    func floor() async throws {
        let folder = JournalFolder()
        var bounds = Self.bounds
        bounds.appendFloor = .max
        try await folder.run(bounds: bounds) { journal in
            await #expect(throws: JournalError.diskFull(path: folder.channelPath)) {
                try await journal.append([sourceRun(1)])
            }
            let waiting = try await journal.replay()
            #expect(waiting.isEmpty)
        }
    }

    @Test("All channels together have a bound")
    func bound() async throws {
        let folder = JournalFolder()
        var bounds = FileBounds()
        // Two entries fit with their checksums, and a third does not.
        bounds.totalByteCount = Int64(try JSONEncoder().encode(sourceRun(1)).count) * 5 / 2 + 20
        let journal = try folder.open(bounds: bounds)
        let channel = try journal.channel(try news())
        let lines = try await channel.append([sourceRun(1), sourceRun(2)])
        let other = try journal.channel(try #require(ChannelID("other")))
        await #expect(throws: JournalError.fullForAllChannels) { try await other.append([sourceRun(3)]) }
        await channel.trim(lines)
        await journal.close()
        let again = try folder.open(bounds: bounds)
        _ = try await again.channel(try #require(ChannelID("other"))).append([sourceRun(3)])
        await again.close()
    }
}
