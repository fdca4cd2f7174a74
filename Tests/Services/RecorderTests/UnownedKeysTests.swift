import Catalogue
import Concurrency
import HTTP
@testable import Journal
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Keys of a channel that another node records", .timeLimit(.minutes(10)))
struct UnownedKeysTests {
    private static let plain = Ciphered.subtitles(comments: 20)
    private static let segmentCount = 3

    /// A node that waits for a channel, with segments in its journal that need the key at `/key`.
    private struct Stage {
        let fixture: RecorderFixture
        let origin: Origin
        let dependencies: RecorderDependencies
        let journal: ChannelJournal
        let waiting: [KeyPendingSegment]
        let task: ChannelTask
        private let folder: TemporaryFolder

        init(
            _ fixture: RecorderFixture, _ origin: Origin, _ owner: RecordingProcess,
            _ encryption: EncryptionChoice,
        ) async throws {
            try await fixture.catalogue.heartbeat(node: RecorderFixture.otherNode, seconds: 600)
            folder = try TemporaryFolder("journal")
            var dependencies = owner.dependencies
            dependencies.journal = try Journal.open(
                folder: folder.path, clock: .system, logger: silentLogger)
            dependencies.client = origin.client
            var channel = fixture.channel
            channel.settings.sources = [try origin.source("/live.m3u8")]
            channel.settings.encryption = encryption
            waiting = try (0..<segmentCount).map { try Self.segment($0, of: channel, origin) }
            for segment in waiting {
                _ = try await dependencies.store.put(try Ciphered.encrypted(plain), as: segment.key)
            }
            journal = try dependencies.journal.channel(channel.id)
            _ = try await journal.append(waiting.map { .keyPending($0) })
            task = ChannelTask(
                channel: channel, node: RecorderFixture.node, heartbeat: Heartbeat(),
                starts: AsyncSemaphore(permits: 1), unfinished: UnfinishedSegments(),
                dependencies: dependencies, logger: silentLogger)
            (self.fixture, self.origin, self.dependencies) = (fixture, origin, dependencies)
        }

        private static func segment(
            _ index: Int, of channel: Channel, _ origin: Origin,
        ) throws -> KeyPendingSegment {
            KeyPendingSegment(
                channel: channel.id,
                identity: SegmentIdentity(rendition: video(0), run: 1, number: Int64(index)),
                start: at(Double(index) * 6), duration: 6 * seconds, container: .webVTT,
                cipher: .init(keyURL: try origin.url("/key").absoluteString, iv: Ciphered.iv),
                arrived: at(12), source: SourceClient.identity(channel.settings.sources[0].url), fence: 1)
        }

        /// Runs the task of the channel while a body runs.
        func running(_ body: () async throws -> Void) async throws {
            let run = Task { await task.run() }
            let result = await Result { try await body() }
            run.cancel()
            await run.value
            try result.get()
        }

        func waitForRequests(_ count: Int) async throws {
            try await eventually("\(count) requests for the key") {
                origin.requests(for: "/key") >= count
            }
        }

        func keys() -> UnownedKeys {
            UnownedKeys(channel: task.channel, dependencies: dependencies, logger: silentLogger)
        }

        /// Waits until so many segments have their keys, which is half a second after they were taken.
        func open(_ count: Int, _ keys: UnownedKeys) async throws {
            try await eventually("\(count) opened segments") {
                await keys.start()
                return await keys.opened.count == count
            }
        }

        /// Each segment is in the catalogue once, and nothing is left in the journal.
        func waitForSegments() async throws {
            try await eventually("an empty journal") { try await journal.waitingCount() == 0 }
            let rows = try await fixture.rows(
                "SELECT origin_number, plain_bytes FROM segment ORDER BY start_us, origin_number")
            #expect(rows == (0..<segmentCount).map { "\($0)|\(plain.count)" })
            for segment in waiting { #expect(try await dependencies.store.contains(segment.key)) }
        }
    }

    private func onStage(
        _ encryption: EncryptionChoice = .keep, _ body: (Stage, RecordingProcess) async throws -> Void,
    ) async throws {
        try await RecorderFixture.run { fixture in
            try await Origin.run { origin in
                let owner = try await RecordingProcess(fixture, node: RecorderFixture.otherNode)
                let stage = try await Stage(fixture, origin, owner, encryption)
                let result = await Result { try await body(stage, owner) }
                await stage.dependencies.journal.close()
                await owner.kill()
                try result.get()
            }
        }
    }

    /// The encrypted files stay: the journal of the owner may name them.
    @Test(
        "They are asked for one at a time, and what they open enters the archive once",
        arguments: [EncryptionChoice.keep, .clear])
    func besideOwner(encryption: EncryptionChoice) async throws {
        try await onStage(encryption) { stage, owner in
            try await stage.running {
                try await stage.waitForRequests(1)
                stage.origin.serve("/key", Ciphered.key)
                try await stage.waitForSegments()
            }
            let published = "SELECT count(*) FROM segment WHERE number IS NOT NULL"
            #expect(try await stage.fixture.number(published) == 0)
            #expect(try await stage.fixture.number("SELECT count(*) FROM loss") == 0)
            #expect(try await stage.fixture.number("SELECT fence FROM line") == Int(owner.lease.fence))
            #expect(stage.origin.requests(for: "/key") <= 3)
        }
    }

    @Test("A server of keys that never answers does not keep the node from taking the channel")
    func silentKeyServer() async throws {
        try await onStage { stage, owner in
            stage.origin.hang("/key")
            try await stage.running {
                try await stage.waitForRequests(1)
                let clock = stage.dependencies.clock
                let begin = clock.steady()
                try await stage.fixture.catalogue.releaseLease(
                    channel: stage.fixture.channel.row, fence: owner.lease.fence,
                    node: RecorderFixture.otherNode)
                try await eventually("a new lease") {
                    try await stage.fixture.number("SELECT fence FROM line") == Int(owner.lease.fence) + 1
                }
                #expect(clock.steady() - begin < .seconds(3))
                // What was asked for is the owner's now.
                try await stage.waitForRequests(2)
                stage.origin.serve("/key", Ciphered.key)
                try await stage.waitForSegments()
            }
        }
    }

    @Test("A task that is stopped does not wait for a key: its segments stay in the journal")
    func stopped() async throws {
        try await onStage { stage, _ in
            stage.origin.hang("/key")
            let clock = stage.dependencies.clock
            var begin = clock.steady()
            try await stage.running {
                try await stage.waitForRequests(1)
                begin = clock.steady()
            }
            #expect(clock.steady() - begin < Limits.unownedKeysEnd + .seconds(2))
            #expect(try await stage.journal.replay().map(\.1) == stage.waiting.map { .keyPending($0) })
        }
    }

    @Test("A request for a key that is not needed any more ends at once")
    func endedRequest() async throws {
        try await Origin.run { origin in
            origin.hang("/key")
            let clock = HostClock.system
            let channel = PublisherStage.fact(video(0), 0).channel
            let keys = KeyCache(channel: channel, store: MemorySegmentStore(), clock: clock)
            let (url, link) = (try origin.url("/key"), try origin.link())
            async let key = Result { try await keys.latestKey(at: url, link: link) }
            try await eventually { origin.requests(for: "/key") == 1 }
            let begin = clock.steady()
            await keys.cancelRequests()
            guard case .failure = await key else { throw TestFailure("a key came") }
            #expect(clock.steady() - begin < Limits.keyTimeout / 2)
        }
    }

    @Test("A segment of an earlier version, which has no fence, waits until the channel is taken")
    func withoutFence() async throws {
        try await onStage { stage, _ in
            stage.origin.serve("/key", Ciphered.key)
            let keys = stage.keys()
            let lines = try await stage.journal.replay()
            await keys.take(
                zip(lines, stage.waiting).map { line, segment in
                    var segment = segment
                    if segment.identity.number > 0 { segment.fence = nil }
                    return (line.0, segment)
                })
            try await stage.open(1, keys)
            await keys.start()
            await keys.cancel()
            #expect(await keys.opened.count == 1)
        }
    }

    @Test("What was opened when the channel is taken is the owner's, and enters once")
    func openedWhenTaken() async throws {
        try await onStage { stage, owner in
            stage.origin.serve("/key", Ciphered.key)
            let keys = stage.keys()
            let journal = UnownedJournal(channel: stage.task.channel, dependencies: stage.dependencies)
            await keys.take(try #require(try await journal.enterBatch()))
            try await stage.open(Self.segmentCount, keys)
            await keys.cancel()
            #expect(try await stage.journal.waitingCount() == Self.segmentCount)
            try await stage.fixture.catalogue.releaseLease(
                channel: stage.fixture.channel.row, fence: owner.lease.fence,
                node: RecorderFixture.otherNode)
            try await stage.running { try await stage.waitForSegments() }
        }
    }
}
