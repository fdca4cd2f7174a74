import Postgres
import TestSupport
import Testing

@testable import Recorder

@Suite("Recorder service")
struct RecorderServiceTests {
    @Test("That the channels cannot be read is said once, not in every round")
    func complaint() async throws {
        try await RecorderFixture.run { fixture in
            let process = try await RecordingProcess(fixture)
            let log = LogLines()
            let service = RecorderService(
                node: RecorderFixture.node, parts: process.parts, logger: log.logger)
            var supervisor = ChannelSupervisor<RecordingBasis>()
            await fixture.pool.close()
            var complaint: String?
            for _ in 0..<3 { complaint = await service.reconcile(&supervisor, after: complaint) }
            #expect(complaint != nil)
            #expect(log.all == ["Channels stay as they are"])
            await process.kill()
        }
    }
}
