import Catalogue
import Concurrency
import Files
@testable import Journal
import Postgres
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("The journal of a channel that another node records")
struct UnownedJournalTests {
    @Test("is read once while it holds only what waits for its key, and again when something comes")
    func keysBesideOwner() async throws {
        try await RecorderFixture.run { fixture in
            let owner = try await RecordingProcess(fixture, node: RecorderFixture.otherNode)
            try await fixture.catalogue.heartbeat(node: RecorderFixture.otherNode, seconds: 600)
            let (reads, rounds) = (Counter(), Counter())
            let folder = try TemporaryFolder("journal")
            var dependencies = owner.dependencies
            dependencies.journal = try Self.journal(in: folder) { reads.add() }
            dependencies.clock = Self.clock { rounds.add() }
            let id = fixture.channel.id
            let journal = try dependencies.journal.channel(id)
            let pending = KeyPendingSegment(
                channel: id, identity: SegmentIdentity(rendition: video(0), run: 1, number: 7),
                start: at(0), duration: 6 * seconds, container: .transportStream,
                cipher: .init(keyURL: "http://keys.test/1", iv: []), arrived: at(6), source: "")
            _ = try await journal.append([.keyPending(pending)])
            let task = ChannelTask(
                channel: fixture.channel, node: RecorderFixture.node, heartbeat: Heartbeat(),
                starts: AsyncSemaphore(permits: 1), unfinished: UnfinishedSegments(),
                dependencies: dependencies,
                logger: silentLogger)
            let run = Task { await task.run() }
            defer { run.cancel() }
            try await eventually { rounds.value >= 5 }
            #expect(reads.value == 1)
            let sourceRun = SourceRun(id: 1, source: "", began: at(0), clock: "arrival")
            _ = try await journal.append([.sourceRun(sourceRun)])
            try await eventually {
                try await fixture.number("SELECT count(*) FROM feed WHERE feed_id = 1") == 1
            }
            try await eventually { try await journal.waitingCount() == 1 }
            #expect(try await journal.replay().map(\.1) == [.keyPending(pending)])
            run.cancel()
            await run.value
            await dependencies.journal.close()
            await owner.kill()
        }
    }

    /// Another node had the key: it stored the same bytes under the same name, and published them.
    @Test(
        "leaves the file of a segment whose key is given up if the catalogue names it",
        arguments: [false, true])
    func publishedElsewhere(byRecorder: Bool) async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            let dependencies = process.dependencies
            try await process.record(0...2)
            try await process.commitAll()
            let fact = try #require(
                try await process.journal.newestEntered(count: 10).compactMap(\.1.fact).first)
            let starts = [fact.start, fact.start + 18 * seconds]
            let keys = starts.map { start in
                ArchiveKey.segment(
                    fact.channel, video(0),
                    SegmentName(start: start, revision: 0, fileExtension: .transportStream))
            }
            for key in keys { _ = try await dependencies.store.put([1], as: key) }
            if byRecorder {
                let runner = ActionRunner(
                    channel: fixture.channel, dependencies: dependencies, journal: process.journal,
                    logger: silentLogger)
                for key in keys { _ = await runner.perform(.deleteObject(key)) }
            } else {
                let waiting = (0..<2).map { index in
                    KeyPendingSegment(
                        channel: fact.channel,
                        identity: SegmentIdentity(rendition: video(0), run: 1, number: Int64(index)),
                        start: starts[index], duration: 6 * seconds,
                        container: .transportStream, cipher: .init(keyURL: "http://keys.test/1", iv: []),
                        arrived: at(6), source: "")
                }
                _ = try await process.journal.append(waiting.map { .keyPending($0) })
                let journal = UnownedJournal(channel: fixture.channel, dependencies: dependencies)
                #expect(try await journal.giveUpKeys())
            }
            #expect(try await dependencies.store.contains(keys[0]))
            #expect(try await !dependencies.store.contains(keys[1]))
            // Without an answer no file is deleted.
            _ = try await dependencies.store.put([1], as: keys[1])
            await fixture.pool.close()
            try? await dependencies.deleteUnused(keys[1])
            #expect(try await dependencies.store.contains(keys[1]))
            await process.kill()
        }
    }

    /// A journal that says when it reads lines.
    private static func journal(
        in folder: TemporaryFolder, onRead: @escaping @Sendable () -> Void,
    ) throws -> Journal {
        let disk = Disk<JournalError> { operation, path in
            if operation == .read, path.hasSuffix(".jsonl") { onRead() }
            return nil
        }
        return try Journal.open(
            folder: folder.path, disk: disk, bounds: FileBounds(), logger: silentLogger, clock: .system)
    }

    /// The host's clock, by which the pause between two rounds of a task is over at once.
    private static func clock(onPause: @escaping @Sendable () -> Void) -> HostClock {
        let system = HostClock.system
        return HostClock(now: system.now, steady: system.steady) { instant in
            guard instant - .now <= Limits.shortestRestart else { return try await instant.sleep() }
            onPause()
            await Task.yield()
        }
    }
}
