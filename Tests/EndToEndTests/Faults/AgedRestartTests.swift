import Foundation
import TestSupport
import Testing

/// What resuming reads must not grow with what the database holds: short lists would slide away meanwhile.
@Suite("A restart on a database with two days of identities", .limitedStacks)
struct AgedRestartTests {
    private static let channels = FaultScale.isFull ? 100 : 8
    private static let renditions = 3
    /// Milliseconds that a segment is listed: three of two seconds.
    private static let listed: Int64 = 6_000
    /// Identities of a rendition in the database: an hour less than after two days, when they are pruned.
    private static let identities = 47 * 1_800
    /// The newest of them have segments, more than a start ever looks at.
    private static let segments = 10_000
    /// Pages that may be read for a rendition.
    ///
    /// A thousand identities and the segments of four hundred take two thousand pages, and ten thousand with
    /// their segments, as were read once, more than forty thousand.
    private static let pages = 10_000

    /// What the database has of one rendition.
    private struct Recorded {
        var first: Int
        var last: Int
        var count: Int
    }

    @Test("loses no number of lists that are three segments long", .timeLimit(.minutes(30)))
    func restart() async throws {
        let cluster = try await PostgresCluster()
        try await cluster.run(sql: "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
        try await cluster.restart()
        try await cluster.run(
            sql: "CREATE SCHEMA statistics; CREATE EXTENSION pg_stat_statements SCHEMA statistics")
        let origin = [
            "--segment-seconds", "2", "--list-seconds", "6", "--prefill", "3", "--bits-per-second", "200000",
            "--channels", "\(Self.channels)", "--variants", "\(Self.renditions)",
        ]
        try await Stack.run(origin: origin, database: cluster.uri()) { stack in
            for index in 1...Self.channels {
                try await stack.addChannel("ch\(index)", path: "/ch\(index)/index.m3u8")
            }
            try await settle(stack, at: Instant.now)
            try await cluster.run(sql: Self.aging)
            try await cluster.run(sql: Self.agedSegments)
            try await cluster.run(sql: "VACUUM ANALYZE intake, segment")

            try await stack.endService(SIGKILL)
            try await cluster.run(sql: "SELECT statistics.pg_stat_statements_reset()")
            try await stack.startService(untilReady: false)
            let begun = Instant.now
            try await settle(stack, at: begun)
            let recovery = Double(Instant.now - begun) / 1_000
            try await settle(stack, at: Instant.now + 4_000)

            var outcome = FaultOutcome()
            for recorded in try await recorded(stack).values {
                outcome.published += recorded.last - recorded.first + 1
                outcome.twice += max(0, recorded.count - (recorded.last - recorded.first + 1))
            }
            // What had left its list before the service was there again could not be kept.
            let missing = try await missing(stack)
            outcome.lost = missing.filter { $0.listed + Self.listed > begun + 3_000 }.map {
                "\($0.path)/\($0.number)"
            }
            outcome.unreachable = missing.count - outcome.lost.count
            FaultTable.add(
                "restart with two days of identities of \(Self.channels) channels × 3", times: 1, outcome,
                recovery: recovery)
            #expect(outcome.isPerfect, "\(outcome)")
            let pages = try await pagesRead(stack)
            #expect(pages < Self.pages * Self.channels * Self.renditions, "\(pages) pages were read")
        }
    }

    /// Two days of identities in front of the first segment of each rendition.
    private static let aging = """
        INSERT INTO intake
        SELECT rendition_id, feed_id, origin_number - n, start_us - n * 2000000::bigint, 2000000, 'stored',
            now() - n * interval '2 seconds'
        FROM (SELECT DISTINCT ON (rendition_id) * FROM intake ORDER BY rendition_id, origin_number) AS first,
            generate_series(1, \(identities)) AS n
        """

    /// Segments of the newest of those identities, which no playlist lists any more.
    private static let agedSegments = """
        INSERT INTO segment (rendition_id, start_us, duration_us, epoch, revision, state_id, flags,
            stored_bytes, plain_bytes, feed_id, origin_number, arrived_us, digest)
        SELECT i.rendition_id, i.start_us, i.duration_us, s.epoch, 0, s.state_id, 0, 1000, 1000, i.feed_id,
            i.origin_number, i.start_us, sha256(i.origin_number::text::bytea)
        FROM (SELECT DISTINCT ON (rendition_id) * FROM segment ORDER BY rendition_id, start_us) AS s
            JOIN intake i ON i.rendition_id = s.rendition_id AND i.start_us < s.start_us
                AND i.start_us >= s.start_us - \(segments) * 2000000::bigint
        """

    /// Pages that statements have read which ask for identities, since the service was killed: what a start
    /// costs, however busy the machine is.
    private func pagesRead(_ stack: Stack) async throws -> Int {
        let pages = try await stack.rows(
            """
            SELECT sum(shared_blks_hit + shared_blks_read)::bigint FROM statistics.pg_stat_statements
            WHERE query ILIKE 'SELECT%intake%'
            """)
        return try #require(pages.first.flatMap(Int.init))
    }

    /// Waits until all that was listed at an instant is entered.
    private func settle(_ stack: Stack, at instant: Int64) async throws {
        try await eventually("the instant") { Instant.now > instant }
        let listed = try LedgerEntry.reading(stack.ledgerPath).filter { $0.listed <= instant }
        let last = Dictionary(listed.map { ($0.path, $0.number) }, uniquingKeysWith: max)
        try #require(last.count == Self.channels * Self.renditions)
        try await eventually("all renditions") {
            let recorded = try await recorded(stack)
            return last.allSatisfy { name, number in recorded[name].map { $0.last >= number } ?? false }
        }
    }

    private func recorded(_ stack: Stack) async throws -> [String: Recorded] {
        let rows = try await stack.rows(
            """
            SELECT slug || '/' || name, min(origin_number), max(origin_number), count(*)
            FROM segment JOIN rendition USING (rendition_id) JOIN channel USING (channel_id)
            WHERE origin_number >= 0 GROUP BY 1
            """
        ).map { row in
            let parts = row.split(separator: "|").map(String.init)
            let recorded = Recorded(
                first: try #require(Int(parts[1])), last: try #require(Int(parts[2])),
                count: try #require(Int(parts[3])))
            return (parts[0], recorded)
        }
        return Dictionary(rows) { $1 }
    }

    /// What was listed behind the first segment that is held of a rendition, and before the last, and is not
    /// held.
    private func missing(_ stack: Stack) async throws -> [LedgerEntry] {
        let held = Set(
            try await stack.rows(
                """
                SELECT slug || '/' || name || '/' || origin_number
                FROM segment JOIN rendition USING (rendition_id) JOIN channel USING (channel_id)
                WHERE origin_number >= 0
                """))
        let recorded = try await recorded(stack)
        return try LedgerEntry.reading(stack.ledgerPath).filter { entry in
            guard let span = recorded[entry.path] else { return true }
            return entry.number > span.first && entry.number < span.last
                && !held.contains("\(entry.path)/\(entry.number)")
        }
    }
}

extension LedgerEntry {
    /// Its channel and rendition.
    fileprivate var path: String { "\(channel)/\(rendition)" }
}
