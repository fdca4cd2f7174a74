import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("A source without dates", .limitedStacks)
struct UndatedSourceTests {
    @Test("keeps its times and its numbers when the service is killed", .timeLimit(.minutes(30)))
    func killed() async throws {
        let arguments = ["--segment-seconds", "1", "--no-dates", "--prefill", "3"]
        try await Stack.run(origin: arguments, settings: ["BACKCAST_MAX_WINDOW": "5"]) { stack in
            try await stack.addChannel()
            let entries = try await stack.published(8)
            try await recorded(entries[6], stack)
            let before = try await stack.rows(CrashTests.facts)
            try await stack.endService(SIGKILL)
            try await stack.startService()
            let later = try await stack.published(entries.count + 6)
            try await recorded(later[entries.count + 5], stack)
            let after = try await stack.rows(CrashTests.facts)
            #expect(Array(after.prefix(before.count)) == before)
            #expect(after.count > before.count)
            #expect(try await stack.rows(CrashTests.doubles).isEmpty)
            #expect(try await stack.rows("SELECT count(DISTINCT feed_id) FROM segment") == ["1"])
            try await checkCut(stack)
        }
    }

    private func recorded(_ entry: LedgerEntry, _ stack: Stack) async throws {
        let row = "SELECT count(*) FROM segment WHERE origin_number = \(entry.number)"
        try await eventually("segment \(entry.number)") {
            try await stack.rows(row) == ["1"]
        }
    }

    /// An open window that is longer than a window may be ends there, and says where it goes on.
    private func checkCut(_ stack: Stack) async throws {
        let first = try #require(Int64(try await stack.rows("SELECT min(start_us) / 1000 FROM segment")[0]))
        let answer = try await stack.service.get(stack.window(first))
        #expect(answer.status == 200)
        #expect(try ReceivedPlaylist(answer.text).isEnded)
        let next = try #require(answer.headers["Backcast-Next"])
        #expect(try Instant.milliseconds(next) >= first + 5_000, "\(next)")
    }
}
