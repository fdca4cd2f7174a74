import Postgres
import TestSupport
import Testing

@testable import Recorder

@Suite("Recorder service")
struct RecorderServiceTests {
    @Test("That the channels cannot be read is said once, not in every round")
    func complaint() async throws {
        try await House.run { house in
            let process = try await RecordingProcess(house)
            let log = LogLines()
            let service = RecorderService(node: House.node, parts: process.parts, logger: log.logger)
            var supervisor = ChannelSupervisor()
            await house.pool.close()
            var complaint: String?
            for _ in 0..<3 { complaint = await service.reconcile(&supervisor, after: complaint) }
            #expect(complaint != nil)
            #expect(log.all == ["Channels stay as they are"])
            await process.kill()
        }
    }
}
