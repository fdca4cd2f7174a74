import Testing
import Timeline

@testable import Catalogue

@Suite("Source runs")
struct SourceRunsTests {
    @Test(
        "The newest source run has the highest id, even if the clock was set back"
    )
    func newest() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            #expect(try await test.catalogue.newestSourceRun(of: recording.row) == nil)
            let runs = ([7, 9, 8] as [Int64]).map { id in
                SourceRun(
                    id: id, source: "http://origin.test/\(id)", began: midnight - id * second, clock: "source"
                )
            }
            var batch = recording.batch()
            batch.sourceRuns = runs
            #expect(try await test.catalogue.commit(batch))
            #expect(try await test.catalogue.newestSourceRun(of: recording.row) == runs[1])
            let other = try await ChannelRecording("other", in: test)
            #expect(try await test.catalogue.newestSourceRun(of: other.row) == nil)
            #expect(try await test.catalogue.sourceRun(8, of: recording.row) == runs[2])
            #expect(try await test.catalogue.sourceRun(8, of: other.row) == nil)
        }
    }
}
