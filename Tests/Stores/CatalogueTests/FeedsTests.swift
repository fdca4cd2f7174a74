import Testing
import Timeline

@testable import Catalogue

@Suite("Feeds")
struct FeedsTests {
    @Test(
        "The newest feed of a channel is the one with the highest id, with its source, whatever the clock said"
    )
    func newest() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            #expect(try await test.catalogue.newestFeed(of: tape.row) == nil)
            let feeds = ([7, 9, 8] as [Int64]).map { id in
                FeedFact(
                    id: id, source: "http://origin.test/\(id)", began: midnight - id * second, clock: "source"
                )
            }
            var batch = tape.batch()
            batch.feeds = feeds
            #expect(try await test.catalogue.remember(batch))
            #expect(try await test.catalogue.newestFeed(of: tape.row) == feeds[1])
            let other = try await Tape("other", in: test)
            #expect(try await test.catalogue.newestFeed(of: other.row) == nil)
        }
    }
}
