import Catalogue
@testable import Journal
import Postgres
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Recorder service")
struct RecorderServiceTests {
    @Test("That the channels cannot be read is said once, not in every round")
    func complaint() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            let log = LogLines()
            let service = RecorderService(
                node: RecorderFixture.node, dependencies: process.dependencies, logger: log.logger)
            var supervisor = ChannelSupervisor<RecordingBasis>()
            await fixture.pool.close()
            var complaint: String?
            for _ in 0..<3 { complaint = await service.reconcile(&supervisor, after: complaint) }
            #expect(complaint != nil)
            #expect(log.all == ["Channels could not be read; those that are recorded go on"])
            await process.kill()
        }
    }

    @Test("What waits for its key stays while the channel is paused, and is lost when it is deleted")
    func keysOfDeletedChannel() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            let id = fixture.channel.id
            let pending = KeyPendingSegment(
                channel: id, identity: SegmentIdentity(rendition: video(0), run: 1, number: 7),
                start: at(0), duration: 6 * seconds, container: .transportStream,
                cipher: .init(keyURL: "http://keys.test/1", iv: []), arrived: at(6), source: "")
            let store = process.dependencies.store
            let service = RecorderService(
                node: RecorderFixture.node, dependencies: process.dependencies, logger: silentLogger)
            var supervisor = ChannelSupervisor<RecordingBasis>()
            let bytes = pending.key
            _ = try await store.put([1], as: bytes)
            _ = try await process.journal.append([.keyPending(pending)])
            var settings = fixture.channel.settings
            settings.recording = false
            _ = try await fixture.catalogue.replace(settings)
            let run = SourceRun(id: 1, source: "", began: at(0), clock: "arrival")
            _ = try await process.journal.append([.sourceRun(run)])
            #expect(await service.reconcile(&supervisor, after: nil) == nil)
            try await eventually { try await process.journal.waitingCount() == 1 }

            try await fixture.catalogue.delete(id)
            #expect(await service.reconcile(&supervisor, after: nil) == nil)
            try await eventually {
                try await process.journal.waitingCount() == 0
            }
            await supervisor.stop()
            #expect(try await !store.contains(bytes))
            #expect(try await fixture.rows("SELECT state FROM intake") == ["lost"])
            #expect(try await fixture.rows("SELECT end_us - begin_us FROM loss") == ["6000000"])
            await process.kill()
        }
    }
}
