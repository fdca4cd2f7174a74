import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("A segment that can be fetched long after it was listed", .limitedStacks)
struct LateSegmentTests {
    /// Target durations of a second: without the late segment the window would be final after three.
    @Test("keeps its window from being final until it is there", .timeLimit(.minutes(30)))
    func late() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1", "--list-seconds", "40"]) { stack in
            try await stack.addChannel()
            let early = try await stack.published(3)
            try await stack.settled(early[2].end)
            try await stack.fault("late&seconds=25")
            let entries = try await stack.published(early.count + 6)
            let path = stack.window(entries[0].middle, entries[early.count + 4].middle)
            let expected = entries[0...early.count + 4].map(\.sha256)
            try await stack.settled(entries[early.count + 4].end)
            var counts: [Int] = []
            try await eventually("a final window") {
                let answer = try await stack.service.get(path)
                guard answer.status == 200 else { return false }
                let list = try ReceivedPlaylist(answer.text)
                counts.append(list.segments.count)
                guard answer.headers["Backcast-Final"] == "true" else { return false }
                #expect(try await stack.digests(of: list) == expected)
                return true
            }
            // It was seen without the segment first.
            #expect(counts.first == expected.count - 1 && counts.last == expected.count, "\(counts)")
        }
    }
}
