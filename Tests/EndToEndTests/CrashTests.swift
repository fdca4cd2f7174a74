import Foundation
import TestSupport
import Testing

@Suite("A service that is ended while it records", .limitedStacks)
struct CrashTests {
    @Test("loses nothing and doubles nothing when it is killed twice", .timeLimit(.minutes(30)))
    func killed() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1", "--prefill", "3"]) { stack in
            try await stack.addChannel()
            var before: [String] = []
            for count in [6, 10] {
                let entries = try await stack.published(count)
                try await stack.settled(entries[count - 3].end)
                before = try await stack.rows(Self.facts)
                #expect(try await stack.endService(SIGKILL) == 128 + SIGKILL)
                try await stack.startService()
            }
            let entries = try await stack.published(15)
            try await stack.settled(entries[14].end)
            let list = try await stack.service.playlist(stack.window(entries[0].middle, entries[14].middle))
            #expect(try await stack.digests(of: list) == entries[...14].map(\.sha256))
            #expect(list.discontinuities == 0)
            let after = try await stack.rows(Self.facts)
            #expect(Array(after.prefix(before.count)) == before)
            #expect(try await stack.rows(Self.doubles).isEmpty)
        }
    }

    @Test("finishes its downloads, enters them and exits with 0 on SIGTERM", .timeLimit(.minutes(30)))
    func terminated() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"]) { stack in
            try await stack.addChannel()
            try await stack.settled(try await stack.published(3)[2].end)
            try await stack.fault("slow&rate=10000&seconds=60")
            // The second one behind the fault is on its way when the third is listed.
            let count = try stack.ledger().count
            let inFlight = try await stack.published(count + 3)[count + 1]
            let entered = "SELECT origin_number FROM segment WHERE origin_number = \(inFlight.number)"
            #expect(try await stack.rows(entered).isEmpty)
            #expect(try await stack.endService(SIGTERM, within: .seconds(40)) == 0)
            #expect(try await stack.rows(entered) == ["\(inFlight.number)"])
            #expect(try await stack.rows(Self.doubles).isEmpty)
        }
    }

    static let facts = "SELECT feed_id, origin_number, start_us, duration_us FROM segment ORDER BY start_us"
    static let doubles = """
        SELECT rendition_id, feed_id, origin_number FROM segment GROUP BY 1, 2, 3 HAVING count(*) > 1
        """
}
