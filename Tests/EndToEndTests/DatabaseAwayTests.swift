import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("A database that goes away", .limitedStacks)
struct DatabaseAwayTests {
    @Test(
        "stops neither recording nor the service, and gets everything when it is back",
        .timeLimit(.minutes(30)))
    func away() async throws {
        try await Self.recording { stack, cluster in
            let early = try await stack.published(4)
            try await stack.settled(early[2].end)
            try await cluster.stop()
            // A window that was not asked for before: no memory can answer it.
            let answer = try await stack.service.get(stack.window(early[0].middle - 100, early[2].middle))
            #expect(answer.status == 503)
            #expect(answer.headers["Retry-After"].flatMap { Int($0) } != nil)
            #expect(answer.headers["Content-Type"]?.hasPrefix("application/problem+json") == true)
            #expect(try await stack.service.get("/healthz").status == 200)
            try await eventually("readiness to be gone") {
                try await stack.service.get("/readyz").status == 503
            }
            try await stack.published(early.count + 5)
            try await cluster.start()
            let entries = try await stack.published(early.count + 8)
            let last = try #require(entries.last)
            try await stack.settled(last.end)
            let list = try await stack.service.playlist(stack.window(entries[0].middle, last.middle))
            #expect(try await stack.digests(of: list) == entries.map(\.sha256))
            #expect(list.discontinuities == 0)
        }
    }

    @Test("that is not there at the start is waited for, while the probes answer", .timeLimit(.minutes(30)))
    func notYet() async throws {
        try await Self.recording { stack, cluster in
            try await stack.published(3)
            #expect(try await stack.endService(SIGTERM) == 0)
            try await cluster.stop()
            try await stack.startService(untilReady: false)
            try await eventually("an answer") {
                try await stack.service.get("/healthz").status == 200
            }
            #expect(try await stack.service.get("/readyz").status == 503)
            #expect(try await stack.service.get("/metrics").status == 200)
            let answer = try await stack.service.get("/live/ch1/index.m3u8")
            #expect(answer.status == 503)
            #expect(answer.headers["Retry-After"].flatMap { Int($0) } != nil)
            try await cluster.start()
            let entries = try await stack.published(stack.ledger().count + 3)
            let last = try #require(entries.last)
            try await stack.settled(last.end)
        }
    }

    @Test(
        "that is away when a killed service starts again does not keep it from recording",
        .timeLimit(.minutes(30)))
    func startedWithout() async throws {
        try await Self.recording { stack, cluster in
            let early = try await stack.published(6)
            try await stack.settled(early[3].end)
            try await stack.endService(SIGKILL)
            try await cluster.stop()
            try await stack.startService(untilReady: false)
            // Longer than the origin lists a segment.
            try await stack.published(early.count + 20)
            #expect(await stack.serviceOutput.contains("Recording without the catalogue"))
            try await cluster.start()
            let entries = try await stack.published(early.count + 24)
            let last = try #require(entries.last)
            try await stack.settled(last.end)
            let list = try await stack.service.playlist(stack.window(entries[0].middle, last.middle))
            #expect(try await stack.digests(of: list) == entries.map(\.sha256))
            #expect(list.discontinuities == 0)
        }
    }

    @Test(
        "does not hold the service when it is told to stop: what was not entered is entered at the next start",
        .timeLimit(.minutes(30)))
    func stoppedMeanwhile() async throws {
        try await Self.recording { stack, cluster in
            let early = try await stack.published(4)
            try await stack.settled(early[2].end)
            try await cluster.stop()
            try await stack.published(early.count + 4)
            #expect(try await stack.endService(SIGTERM) == 0)
            try await cluster.start()
            try await stack.startService()
            let entries = try await stack.published(early.count + 8)
            try await stack.settled(entries[early.count + 6].end)
            let held = try await stack.rows("SELECT origin_number FROM segment ORDER BY start_us")
            #expect(held == Array(Set(held)).sorted { (Int($0) ?? 0) < (Int($1) ?? 0) })
            #expect(held.count >= early.count + 6)
            #expect(try await stack.rows("SELECT count(*) FROM loss") == ["0"])
        }
    }

    /// Records a channel into a database of its own, which can be stopped and started.
    private static func recording(_ scenario: (Stack, PostgresCluster) async throws -> Void) async throws {
        let cluster = try await PostgresCluster()
        try await Stack.run(origin: ["--segment-seconds", "1"], database: cluster.uri()) { stack in
            try await stack.addChannel()
            try await scenario(stack, cluster)
        }
    }
}
