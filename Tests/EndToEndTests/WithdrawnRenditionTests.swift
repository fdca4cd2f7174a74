import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("A rendition that goes away", .limitedStacks)
struct WithdrawnRenditionTests {
    private static let arguments = [
        "--segment-seconds", "1", "--variants", "3", "--audio", "separate", "--list-seconds", "15",
    ]

    @Test(
        "A dead list of audio does not disturb the others, and is taken up again", .timeLimit(.minutes(30)))
    func dead() async throws {
        try await Stack.run(origin: Self.arguments) { stack in
            try await stack.addChannel()
            try await stack.settled(try await stack.published(4)[2].end)
            try await stack.fault("withdraw&rendition=a0&named=true&seconds=25")
            try await detail(stack) { $0?.contains("a0") == true }
            try await stack.published(try stack.ledger().count + 20)
            try await detail(stack) { $0 == nil }
            let begins = try await stack.rows(
                """
                SELECT DISTINCT loss.begin_us FROM loss JOIN rendition USING (rendition_id)
                WHERE name = 'a0' AND reason = 1
                """)
            #expect(begins.count == 1)
            let entries = try await stack.published(try stack.ledger().count + 4)
            let last = entries[entries.count - 2]
            try await stack.settled(last.end)
            try await check(stack, "v0", from: entries[0].middle, to: last.middle)
            try await check(stack, "a0", from: last.start - 2_000, to: last.middle)
            #expect(!(await stack.serviceOutput.contains(Self.reopened)))
            try await refused(stack, entries)
        }
    }

    /// A strict window of the time in which the sound was away is refused, also if it holds nothing of it.
    private func refused(_ stack: Stack, _ entries: [LedgerEntry]) async throws {
        let silent = try #require(
            try await stack.rows(
                """
                SELECT begin_us / 1000 FROM (
                    SELECT start_us + duration_us AS begin_us,
                        lead(start_us) OVER (ORDER BY start_us) - start_us - duration_us AS pause
                    FROM segment JOIN rendition USING (rendition_id) WHERE name = 'a0') AS sound
                ORDER BY pause DESC NULLS LAST LIMIT 1
                """
            ).first.flatMap(Int64.init))
        let video = try #require(entries.first { $0.start >= silent })
        let answer = try await stack.service.get(
            stack.window(video.start + 100, video.end - 100, also: "&strict=true"))
        #expect(answer.status == 409 && answer.problem["rendition"] as? String == "a0", "\(answer.text)")
        let first = try #require(entries.first)
        let whole = try await stack.service.get(
            stack.window(first.middle, first.middle + 200, also: "&strict=true"))
        #expect(whole.status == 200, "\(whole.text)")
    }

    @Test(
        "A variant that the source withdraws is recorded no more, the others go on", .timeLimit(.minutes(30)))
    func withdrawn() async throws {
        try await Stack.run(origin: Self.arguments) { stack in
            try await stack.addChannel()
            try await stack.settled(try await stack.published(4)[2].end)
            try await stack.fault("withdraw&rendition=v2&seconds=600")
            try await eventually("a new beginning") {
                await stack.serviceOutput.contains(Self.reopened)
            }
            let entries = try await stack.published(try stack.ledger().count + 6)
            let last = entries[entries.count - 2]
            try await stack.settled(last.end)
            for id in ["v0", "v1", "a0"] {
                try await check(stack, id, from: entries[0].middle, to: last.middle)
            }
            try await detail(stack) { $0 == nil }
            #expect(try await stack.rows("SELECT DISTINCT feed_id FROM segment").count == 1)
        }
    }

    private static let reopened = "The source is opened again"

    private func detail(_ stack: Stack, _ isRight: @escaping (String?) -> Bool) async throws {
        try await eventually("the right detail") {
            isRight(try await stack.admin("/channels/ch1/status").json["detail"] as? String)
        }
    }

    private func check(_ stack: Stack, _ id: String, from begin: Int64, to end: Int64) async throws {
        let list = try await stack.service.playlist(stack.window(begin, end, name: "\(id).m3u8"))
        let published = try stack.ledger(id).filter { $0.end > begin && $0.start < end }
        #expect(try await stack.digests(of: list) == published.map(\.sha256), "\(id)")
    }
}
