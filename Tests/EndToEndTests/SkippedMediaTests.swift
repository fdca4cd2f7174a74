import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("A source that leaves out media and counts on", .limitedStacks)
struct SkippedMediaTests {
    @Test("has a gap with a reason, and the right dates behind it", .timeLimit(.minutes(30)))
    func skipped() async throws {
        try await Stack.run(origin: ["--segment-seconds", "2", "--list-seconds", "20"]) { stack in
            try await stack.addChannel()
            let early = try await stack.published(3)
            try await stack.settled(early[2].end)
            try await stack.fault("hole&count=2&mode=skip&discontinuity=false")
            let entries = try await stack.published(early.count + 6)
            let last = try #require(entries.last)
            try await stack.settled(last.end)
            // The ledger has what is listed only.
            let pairs = zip(entries, entries.dropFirst())
            let hole = try #require(pairs.first { $1.start - $0.end > 1_000 })
            let (begin, end) = (hole.0.end, hole.1.start)

            let list = try await stack.service.playlist(stack.window(entries[0].middle, last.middle))
            #expect(try await stack.digests(of: list) == entries.map(\.sha256))
            let dated = try #require(list.segments.first { $0.discontinuities > 0 })
            #expect(abs(try #require(dated.date) - end) < 100)

            let answer = try await stack.admin(
                "/channels/ch1/timeline?from=\(entries[0].middle)&to=\(last.middle)")
            let gaps = try #require(answer.json["gaps"] as? [[String: Any]])
            #expect(gaps.map { $0["reason"] as? String } == ["source_gap"])
            let gap = try #require(gaps.first)
            let found = try ["begin", "end"].map { try Instant.milliseconds(gap[$0] as? String ?? "") }
            #expect(abs(found[0] - begin) < 100 && abs(found[1] - end) < 100, "\(found)")
        }
    }
}
