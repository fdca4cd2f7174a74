import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("A channel of several renditions", .limitedStacks)
struct RenditionTests {
    private static let renditions = ["v0", "v1", "v2", "a0"]

    @Test(
        "counts the same discontinuities everywhere when only the audio has a hole", .timeLimit(.minutes(30)))
    func hole() async throws {
        let arguments = [
            "--segment-seconds", "2", "--variants", "3", "--audio", "separate", "--list-seconds", "20",
        ]
        try await Stack.run(origin: arguments) { stack in
            try await stack.addChannel()
            let early = try await stack.published(3)
            try await stack.fault("hole&rendition=a0&count=2&mode=404")
            let entries = try await stack.published(early.count + 5)
            let last = entries[early.count + 4]
            try await stack.settled(last.end)
            let range = (entries[0].middle, last.middle)
            try await checkLists(stack, range)
            #expect(try await stack.playing(stack.window(range.0, range.1)) == "")
            try await checkTimeline(stack, range)
        }
    }

    private func checkLists(_ stack: Stack, _ range: (Int64, Int64)) async throws {
        let client = await stack.service
        let top = try await client.playlist(stack.window(range.0, range.1))
        #expect(top.uris.count == 3 && top.attributes("URI", of: "EXT-X-MEDIA").count == 1)
        var counts: [Int] = []
        var sequences: Set<String?> = []
        for rendition in Self.renditions {
            let list = try await client.playlist(stack.window(range.0, range.1, name: "\(rendition).m3u8"))
            counts.append(list.discontinuities)
            sequences.insert(list.tag("EXT-X-DISCONTINUITY-SEQUENCE"))
            let published = try stack.ledger(rendition).filter {
                $0.served && $0.end > range.0 && $0.start < range.1
            }
            #expect(try await stack.digests(of: list) == published.map(\.sha256), "\(rendition)")
        }
        #expect(sequences.count == 1, "\(sequences)")
        #expect(Set(counts).count == 1 && counts.allSatisfy { $0 >= 1 }, "\(counts)")
    }

    private func checkTimeline(_ stack: Stack, _ range: (Int64, Int64)) async throws {
        let answer = try await stack.admin("/channels/ch1/timeline?from=\(range.0)&to=\(range.1)").json
        let gaps = try #require(answer["gaps"] as? [[String: Any]])
        let audio = gaps.filter { $0["rendition"] as? String == "a0" }
        #expect(
            !audio.isEmpty && audio.allSatisfy { $0["reason"] as? String == "segment_missing" }, "\(gaps)")
    }
}
