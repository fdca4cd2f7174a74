import Foundation
import TestSupport
import Testing

@Suite("Two recorders on one database and one archive", .limitedStacks)
struct TakeOverTests {
    /// Seconds that the origin lists.
    private static let listed = 20

    @Test(
        "The other takes over in time when the owner is killed; what only that one had comes into the archive later",
        .timeLimit(.minutes(30)))
    func takeOver() async throws {
        let arguments = ["--segment-seconds", "1", "--prefill", "3", "--list-seconds", "\(Self.listed)"]
        try await TwoRecorders.run(origin: arguments) { stage in
            try await stage.start(.first)
            try await stage.addChannels(by: .first)
            for channel in TwoRecorders.channels {
                try await eventually("\(channel)") {
                    try await stage.held(channel).count >= 5
                }
            }
            try await stage.start(.second)
            try await Self.killOwner(in: stage)
            let owners = "SELECT channel_id, node_id, fence FROM line ORDER BY channel_id"
            let present = try await stage.rows(owners)
            let seen = Instant.now
            #expect(present.allSatisfy { $0.hasSuffix("|2") })
            var published: [String: [Int]] = [:]
            for channel in TwoRecorders.channels {
                published[channel] = try await Self.expectListed(of: channel, since: seen, in: stage)
            }
            try await stage.start(.first)
            try await eventually("an empty journal") {
                await stage.journalled(by: .first) == 0
            }
            for channel in TwoRecorders.channels {
                try await Self.expectWhole(channel, after: published[channel] ?? [], in: stage)
            }
            #expect(try await stage.rows(owners) == present)
        }
    }

    /// Keeps the owner's facts out of the catalogue for longer than the origin lists them, kills it, and
    /// waits for the other one to own both channels.
    private static func killOwner(in stage: TwoRecorders) async throws {
        let owner = try await stage.rows("SELECT DISTINCT node_id FROM line")
        #expect(owner.count == 1 && owner != [""])
        async let lock = stage.rows(
            "BEGIN; SELECT FROM line FOR UPDATE; SELECT pg_sleep(\(listed + 5)); COMMIT")
        let count = try await stage.ledger("ch1").count
        try await eventually("segments that only the journal has") {
            try await stage.ledger("ch1").count >= count + listed + 2
        }
        try await stage.kill(.first)
        _ = try await lock
        try await eventually("the other owner") {
            try await stage.rows("SELECT count(*) FROM line WHERE node_id <> '\(owner[0])'") == ["2"]
        }
    }

    /// Everything that the origin listed when the other took over is held, each once, and goes on; what is
    /// published.
    private static func expectListed(
        of channel: String, since seen: Int64, in stage: TwoRecorders,
    ) async throws -> [Int] {
        // The list is read some moments after the take-over is seen.
        let listed = try await stage.ledger(channel).filter {
            $0.start >= seen - Int64((Self.listed - 8) * 1000)
        }
        try await eventually("what was listed of \(channel)") {
            let held = try await stage.held(channel)
            return listed.allSatisfy { held.contains($0.number) }
        }
        let held = try await stage.held(channel)
        #expect(held == Set(held).sorted())
        // Some were listed no longer: the other recorder cannot have them.
        #expect(held.last.map { $0 - (held.first ?? 0) + 1 } ?? 0 > held.count)
        return try await stage.held(channel, published: true)
    }

    /// With the journal of the killed one nothing is missing and nothing there twice, and nothing of it was
    /// published.
    private static func expectWhole(
        _ channel: String, after before: [Int], in stage: TwoRecorders,
    ) async throws {
        let held = try await stage.held(channel)
        let first = try #require(held.first)
        #expect(held == Array(first..<first + held.count))
        let entries = try await stage.ledger(channel)
        let recorded = entries.filter { held.contains($0.number) }
        #expect(Array(try await stage.digests(channel).prefix(held.count)) == recorded.map(\.sha256))
        let published = try await stage.held(channel, published: true)
        #expect(Array(published.prefix(before.count)) == before)
        #expect(Set(held).subtracting(published).isEmpty == false)
        let numbers = """
            SELECT count(*) = max(number) + 1 AND count(DISTINCT number) = count(*) FROM segment
                JOIN rendition USING (rendition_id) JOIN channel USING (channel_id)
            WHERE slug = '\(channel)' AND number IS NOT NULL
            """
        #expect(try await stage.rows(numbers) == ["t"])
    }
}
