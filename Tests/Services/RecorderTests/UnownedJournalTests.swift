import Catalogue
import Concurrency
import Files
@testable import Journal
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
