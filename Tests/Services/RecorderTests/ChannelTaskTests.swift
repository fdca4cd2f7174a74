import Catalogue
import Concurrency
import DatabaseSupport
import Foundation
import HTTP
import HTTPClient
@testable import Journal
import Monitoring
import Postgres
import SegmentStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Task of a channel", .timeLimit(.minutes(30)))
struct ChannelTaskTests {
    /// A source on this machine that lists what it is told, and what a task of its channel is made of.
    private struct Stage {
        let fixture: RecorderFixture
        let origin: Origin
        var channel: Channel
        let listed: Listed
        let pool: PostgresPool
        let dependencies: RecorderDependencies
        let starts = AsyncSemaphore(permits: 1)
        let unfinished = UnfinishedSegments()
        let log = LogLines()

        init(
            _ fixture: RecorderFixture, _ origin: Origin, statementTimeout: Duration,
        ) throws {
            let listed = Listed()
            origin.serve("/live.m3u8") { _ in listed.playlist }
            for number in 0..<20 {
                let begin = UInt64(number) * 25 * 3600
                origin.serve("/\(number).ts", SmallStream.pictures(25, from: begin))
            }
            var configuration = try PoolConfiguration.patient(fixture.cluster.uri())
            configuration.statementTimeout = statementTimeout
            pool = PostgresPool(configuration, logger: silentLogger)
            let catalogue = Catalogue(pool: pool, logger: silentLogger)
            dependencies = RecorderDependencies(
                catalogue: catalogue, heartbeats: catalogue, store: MemorySegmentStore(),
                journal: try Journal.open(
                    folder: fixture.journal.path, clock: .system, logger: silentLogger),
                client: origin.client, addressPolicy: AddressPolicy(), board: StatusBoard(),
                clock: .system, isDiskFull: { false })
            var channel = fixture.channel
            channel.settings.sources = [try origin.source("/live.m3u8")]
            (self.fixture, self.origin, self.channel, self.listed) = (fixture, origin, channel, listed)
        }

        /// Records while a body runs.
        func recording(_ body: () async throws -> Void) async throws {
            let task = ChannelTask(
                channel: channel, node: RecorderFixture.node, heartbeat: Heartbeat(), starts: starts,
                unfinished: unfinished, dependencies: dependencies, logger: log.logger)
            let run = Task { await task.run() }
            let result = await Result { try await body() }
            run.cancel()
            await run.value
            try result.get()
        }

        /// Runs a body while another session has locked tables, so that nobody reads them.
        func locking(_ tables: String, _ body: @Sendable () async throws -> Void) async throws {
            try await fixture.pool.transaction { transaction in
                _ = try await transaction.query("LOCK TABLE \(verbatim: tables) IN ACCESS EXCLUSIVE MODE")
                try await body()
            }
        }

        /// Waits until the journal has so many segments that the catalogue has not.
        func waitForJournal(_ count: Int) async throws {
            try await eventually("\(count) segments in the journal") {
                let lines = try await dependencies.journal.channel(channel.id).replay()
                return lines.filter { if case .segment = $0.1 { true } else { false } }.count == count
            }
        }

        func waitForCatalogue(_ count: Int) async throws {
            try await eventually("\(count) segments in the catalogue") {
                try await fixture.number("SELECT count(*) FROM segment") == count
            }
        }

        /// Whether the segments of these numbers are there once, one behind the other, and nothing is lost.
        func expectAll(_ count: Int) async throws {
            let numbers = try await fixture.rows("SELECT origin_number FROM segment ORDER BY start_us")
            #expect(numbers == (0..<count).map(String.init))
            let steps = "SELECT DISTINCT start_us - lag(start_us) OVER (ORDER BY start_us) FROM segment"
            #expect(try await fixture.rows("SELECT * FROM (\(steps)) AS s (d) WHERE d <> 1000000") == [])
            #expect(try await fixture.number("SELECT count(*) FROM loss") == 0)
            #expect(try await fixture.number("SELECT count(*) FROM feed") == 1)
            #expect(try await fixture.number("SELECT count(*) FROM segment WHERE number IS NULL") == 0)
        }
    }

    /// What the source lists: segments of a second, with their dates.
    private final class Listed: Sendable {
        private let numbers = Mutex(0...0)
        /// Seconds that the dates are ahead.
        let ahead = Mutex(0)
        private let begin = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 - 20).rounded())

        func list(_ new: ClosedRange<Int>) { numbers.withLock { $0 = new } }

        var playlist: String {
            let numbers = numbers.withLock { $0 }
            let begin = begin.addingTimeInterval(Double(ahead.withLock { $0 }))
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
            return head
                + numbers.map {
                    let date = begin.addingTimeInterval(Double($0)).formatted(.iso8601)
                    return "#EXT-X-PROGRAM-DATE-TIME:\(date)\n#EXTINF:1,\n\($0).ts\n"
                }.joined()
        }
    }

    private func onStage(
        statementTimeout: Duration = .seconds(2), _ body: (Stage) async throws -> Void,
    ) async throws {
        try await RecorderFixture.run { fixture in
            try await Origin.run { origin in
                let stage = try Stage(fixture, origin, statementTimeout: statementTimeout)
                let result = await Result { try await body(stage) }
                await stage.dependencies.journal.close()
                await stage.pool.close()
                try result.get()
            }
        }
    }

    /// Records twelve segments; the catalogue has the first four when it cannot be used any more, and is back
    /// before the next one comes.
    private func recordThrough(
        _ stage: Stage, _ fault: (_ body: @Sendable () async throws -> Void) async throws -> Void,
    ) async throws {
        stage.listed.list(0...3)
        try await stage.recording { try await stage.waitForCatalogue(4) }
        try await fault {
            try await stage.recording {
                stage.listed.list(2...5)
                try await stage.waitForJournal(2)
                // Those before have slid out of the list when the catalogue can be read again.
                stage.listed.list(6...9)
                try await stage.waitForJournal(6)
                stage.listed.list(8...11)
                try await stage.waitForJournal(8)
            }
        }
        try await stage.recording {
            stage.listed.list(9...12)
            try await stage.waitForCatalogue(13)
        }
        try await stage.expectAll(13)
    }

    @Test(
        "It records while tables of the catalogue are locked for longer than a statement may take",
        arguments: ["segment", "line", "intake, recording_span"])
    func locked(_ tables: String) async throws {
        try await onStage { stage in
            try await recordThrough(stage) { body in try await stage.locking(tables, body) }
        }
    }

    @Test("It records in this way also where the channel was once reanchored")
    func reanchored() async throws {
        try await onStage { stage in
            let now = Int64(Date.now.timeIntervalSince1970 * 1_000_000) - 3_600_000_000
            _ = try await stage.fixture.rows(
                "UPDATE line SET fence = 1, reanchor_fence = 1, reanchored_us = \(now)")
            try await recordThrough(stage) { body in try await stage.locking("segment", body) }
        }
    }

    @Test("It does not go on from a timeline that the channel has left")
    func leftLine() async throws {
        try await onStage { stage in
            stage.listed.ahead.withLock { $0 = 300 }
            stage.listed.list(0...3)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            _ = try #require(try await stage.dependencies.catalogue.reanchor(stage.channel))
            stage.listed.ahead.withLock { $0 = 0 }
            stage.listed.list(4...7)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            try await stage.locking("segment") {
                try await stage.recording {
                    stage.listed.list(6...9)
                    try await stage.waitForJournal(2)
                }
            }
            let lines = try await stage.dependencies.journal.channel(stage.channel.id).replay()
            let latest = try #require(lines.compactMap(\.1.fact?.end).max())
            #expect(latest < Instant(seconds: Int64(Date.now.timeIntervalSince1970) + 60))
        }
    }

    @Test("What was to be fetched of such a timeline does not lead it back there")
    func leftDownloads() async throws {
        try await onStage { stage in
            stage.origin.serve("/3.ts", .notFound)
            stage.listed.ahead.withLock { $0 = 300 }
            stage.listed.list(0...3)
            try await stage.recording {
                try await stage.waitForCatalogue(3)
                _ = try #require(try await stage.dependencies.catalogue.reanchor(stage.channel))
                stage.listed.ahead.withLock { $0 = 0 }
                stage.listed.list(4...7)
                try await stage.waitForCatalogue(4)
            }
            let latest = try await stage.fixture.number("SELECT max(start_us) / 1000000 FROM segment")
            #expect(try #require(latest) < Int(Date.now.timeIntervalSince1970) + 60)
        }
    }

    @Test("It records where nothing can be kept for a start without the catalogue")
    func withoutResumePoint() async throws {
        try await onStage { stage in
            stage.listed.list(0...3)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            let files = FileManager.default.enumerator(atPath: stage.fixture.journal.path)
            let names = files?.compactMap { $0 as? String } ?? []
            let point = try #require(names.first { $0.hasSuffix("resume.json") })
            let path = "\(stage.fixture.journal.path)/\(point)"
            try FileManager.default.createDirectory(atPath: path + ".new", withIntermediateDirectories: false)
            stage.listed.list(2...5)
            try await stage.recording { try await stage.waitForCatalogue(6) }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("It gives its lease back when it is stopped while the catalogue is locked")
    func stopped() async throws {
        try await onStage(statementTimeout: .seconds(120)) { stage in
            stage.listed.list(0...3)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            let owned = "SELECT count(*) FROM line WHERE node_id IS NOT NULL"
            #expect(try await stage.fixture.number(owned) == 0)
            try await stage.locking("segment") {
                try await stage.recording {
                    stage.listed.list(2...5)
                    try await stage.waitForJournal(2)
                }
            }
            #expect(try await stage.fixture.number(owned) == 0)
        }
    }

    @Test("It records while a row of the catalogue cannot be read")
    func unreadable() async throws {
        try await onStage { stage in
            try await recordThrough(stage) { body in
                _ = try await stage.fixture.rows("CREATE TABLE kept AS SELECT * FROM rendition")
                _ = try await stage.fixture.rows("UPDATE rendition SET match = '{}'")
                try await body()
                _ = try await stage.fixture.rows("UPDATE rendition r SET match = k.match FROM kept k")
            }
        }
    }

    @Test(
        "It goes on under its lease when the catalogue can be read again, after errors or a long wait",
        arguments: [Duration.seconds(2), .seconds(120)])
    func unlocked(statementTimeout: Duration) async throws {
        try await onStage(statementTimeout: statementTimeout) { stage in
            stage.listed.list(0...3)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            let task = Mutex<Task<Void, any Error>?>(nil)
            try await stage.locking("segment") {
                let run = Task {
                    try await stage.recording {
                        stage.listed.list(2...5)
                        try await stage.waitForCatalogue(6)
                        stage.listed.list(4...8)
                        try await stage.waitForCatalogue(9)
                    }
                }
                task.withLock { $0 = run }
                try await stage.waitForJournal(2)
            }
            try await task.withLock { $0 }?.value
            try await stage.expectAll(9)
            #expect(stage.log.all.contains("Recording without the catalogue"))
            #expect(stage.log.all.contains("The catalogue answers again"))
        }
    }

    @Test(
        "It asks for its lease for seconds before it records without it, where another node recorded last",
        arguments: [nil, true, false])
    func leaseAfterOther(followsOther: Bool?) async throws {
        try await onStage { stage in
            stage.listed.list(0...3)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            let journal = try stage.dependencies.journal.channel(stage.channel.id)
            var point = try #require(try await journal.resumePoint())
            point.end = Instant(seconds: Int64(Date.now.timeIntervalSince1970) + 60)
            point.followsOther = followsOther
            try await journal.store(point)
            let begin = stage.dependencies.clock.steady()
            try await stage.locking("line") {
                try await stage.recording {
                    stage.listed.list(2...5)
                    try await eventually { stage.log.all.contains("Recording without the catalogue") }
                    let isPatient = stage.dependencies.clock.steady() - begin >= Limits.headsWait
                    #expect(isPatient == followsOther ?? true)
                    try await stage.waitForJournal(2)
                }
            }
        }
    }

    @Test("It knows whether its own lease before was the last one")
    func consecutiveLeases() async throws {
        try await onStage { stage in
            let journal = try stage.dependencies.journal.channel(stage.channel.id)
            func followsOther(_ numbers: ClosedRange<Int>, _ count: Int) async throws -> Bool? {
                stage.listed.list(numbers)
                try await stage.recording { try await stage.waitForCatalogue(count) }
                return try await journal.resumePoint()?.followsOther
            }
            #expect(try await followsOther(0...3, 4) == true, "nothing is known of earlier leases")
            #expect(try await followsOther(2...5, 6) == false)
            _ = try await stage.fixture.rows("UPDATE line SET fence = fence + 1")
            #expect(try await followsOther(4...7, 8) == true)
            #expect(try await followsOther(6...9, 10) == false)
        }
    }

    @Test("It goes on with the source that was recorded last, whatever run another node has begun")
    func lastSource() async throws {
        try await onStage { first in
            var both = first
            both.channel.settings.sources.append(try first.origin.source("/other.m3u8"))
            let (stage, other) = (both, SourceClient.identity(both.channel.settings.sources[1].url))
            stage.origin.serve("/other.m3u8") { _ in stage.listed.playlist }
            stage.listed.list(0...3)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            _ = try await stage.fixture.rows(
                """
                INSERT INTO feed (feed_id, channel_id, source, began_us, clock)
                SELECT feed_id + 1000, channel_id, '\(other)', began_us + 1, clock FROM feed
                """)
            stage.listed.list(2...5)
            try await stage.recording { try await stage.waitForCatalogue(6) }
            try await stage.locking("segment") {
                try await stage.recording {
                    stage.listed.list(4...7)
                    try await stage.waitForJournal(2)
                }
            }
            #expect(stage.origin.requests(for: "/other.m3u8") == 0)
        }
    }

    @Test("It does not go on from what it knows when another node has recorded since")
    func otherNode() async throws {
        try await onStage { stage in
            stage.listed.list(0...3)
            try await stage.recording { try await stage.waitForCatalogue(4) }
            _ = try await stage.fixture.rows("UPDATE line SET end_us = end_us + 1")
            try await stage.locking("segment") {
                try await stage.recording {
                    stage.listed.list(2...5)
                    try await eventually("a failed start") {
                        stage.log.all.contains("Recording stopped and begins again")
                    }
                }
            }
            #expect(try await stage.dependencies.journal.channel(stage.channel.id).waitingCount() == 0)
            #expect(!stage.log.all.contains("Recording without the catalogue"))
        }
    }
}
