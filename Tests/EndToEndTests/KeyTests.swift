import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("Keys, initialization sections and a source that begins again", .limitedStacks)
struct KeyTests {
    @Test("Rotating keys are kept, and a restart without dates moves no time", .timeLimit(.minutes(30)))
    func keys() async throws {
        let arguments = ["--segment-seconds", "1", "--no-dates", "--encrypt", "aes-128", "--rotate", "3"]
        try await Stack.run(origin: arguments) { stack in
            let asked = Instant.now - 60_000
            try await stack.addChannel()
            let early = try await stack.published(6)
            try await stack.settled(early[3].end)
            try await checkPlaying(stack, from: asked)
            let before = try await stack.rows(CrashTests.facts)
            try await stack.fault("restart")
            let entries = try await stack.published(early.count + 6)
            let place =
                "SELECT count(*) FROM segment WHERE origin_number = \(entries[early.count + 5].number)"
            try await eventually("the segments behind the restart") {
                let runs = try await stack.rows("SELECT DISTINCT feed_id FROM segment")
                return try await stack.rows(place) != ["0"] && runs.count == 2
            }
            let after = try await stack.rows(CrashTests.facts)
            #expect(Array(after.prefix(before.count)) == before)
            #expect(try await stack.rows(CrashTests.doubles).isEmpty)
            let list = try await stack.service.playlist(stack.window(asked))
            let digests = try await stack.digests(of: list)
            // More may have been published and recorded while the restart was noticed.
            #expect(digests == Array(try stack.ledger().map(\.sha256).prefix(digests.count)))
            #expect(digests.count > early.count)
        }
    }

    private func checkPlaying(_ stack: Stack, from begin: Int64) async throws {
        let path = stack.window(begin)
        let list = try await stack.service.playlist(path)
        let keys = list.attributes("URI", of: "EXT-X-KEY")
        #expect(keys.count >= 2)
        for key in keys { #expect(try await stack.service.get("/live/ch1/\(key)").body.count == 16) }
        #expect(try await stack.playing(path) == "")
    }

    @Test("fMP4 segments play with their initialization section", .timeLimit(.minutes(30)))
    func fragments() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1", "--container", "fmp4"]) { stack in
            try await stack.addChannel()
            let entries = try await stack.published(6)
            try await stack.settled(entries[4].end)
            let path = stack.window(entries[0].middle, entries[4].middle)
            let list = try await stack.service.playlist(path)
            #expect(list.attributes("URI", of: "EXT-X-MAP").count == 1)
            #expect(try await stack.digests(of: list) == entries[...4].map(\.sha256))
            #expect(try await stack.playing(path) == "")
        }
    }
}
