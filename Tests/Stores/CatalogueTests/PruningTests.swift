import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Pruning")
struct PruningTests {
    @Test("Identities older than two days are deleted, except the newest of each source run")
    func intake() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let identities: [(run: Int64, number: Int64)] = [(1, 1), (1, 2), (2, 1), (2, 5)]
            let facts = identities.enumerated().map { index, identity in
                recording.fact(identity.number, run: identity.run, at: Int64(index) * 4 * second)
            }
            let other = recording.fact(1, of: audio, run: 2)
            _ = try await test.catalogue.commit(recording.batch((facts + [other]).map { .archived($0) }))
            _ = try await test.pool.query(
                "UPDATE intake SET seen_at = now() - interval '49 hours' WHERE NOT (feed_id = 1 AND origin_number = 1)"
            )
            try await test.catalogue.pruneIdentities()
            let left = try await test.rows(
                "SELECT feed_id, origin_number FROM intake ORDER BY rendition_id, 1, 2")
            #expect(left == [[1, 1], [1, 2], [2, 5], [2, 1]])
            _ = try await test.pool.query("UPDATE intake SET seen_at = now() - interval '49 hours'")
            try await test.catalogue.pruneIdentities()
            #expect(try await test.number("SELECT count(*) FROM intake") == 3)
        }
    }

    @Test("Identities that have to stay are not examined again by each call")
    func examined() async throws {
        try await withCatalogue { test in
            _ = try await recorded(test)
            _ = try await test.pool.query("UPDATE intake SET seen_at = now() - interval '80 hours'")
            _ = try await test.pool.query(
                """
                INSERT INTO intake SELECT 1, 100 + n, 1, n, 1, 'stored', now() - interval '72 hours'
                FROM generate_series(1, 25000) AS n
                """)
            #expect(try await test.catalogue.pruneIdentities() == 25_008)
            #expect(try await test.number("SELECT count(*) FROM intake") == 25_008)
            #expect(try await test.catalogue.pruneIdentities() == 0)
            // One source run goes on: its former newest identity is older than what was examined last.
            try await age(test, run: 101, upTo: 3)
            _ = try await test.pool.query(
                """
                UPDATE intake SET seen_at = now() - interval '60 hours' WHERE feed_id = 101 AND origin_number > 1
                """)
            #expect(try await test.catalogue.pruneIdentities() == 5)
            let left = try await test.rows(
                "SELECT origin_number FROM intake WHERE feed_id = 101 AND rendition_id = 1 ORDER BY 1")
            #expect(left == [[1], [3]])
            for _ in 3..<Limits.pruningCalls { try await test.catalogue.pruneIdentities() }
            #expect(try await test.catalogue.pruneIdentities() > 25_000)
            #expect(try await test.number("SELECT count(*) FROM intake WHERE feed_id = 101") == 2)
        }
    }

    /// Makes every statement fail that deletes more than so many identities, as a time limit would.
    private func limitDeletions(to count: Int64, in test: TestCatalogue) async throws {
        _ = try await test.pool.query(
            """
            CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF (SELECT count(*) FROM gone) > \(number: count) THEN
                    RAISE EXCEPTION 'too slow' USING ERRCODE = '57014';
                END IF; RETURN NULL; END $$
            """)
        _ = try await test.pool.query(
            """
            CREATE TRIGGER refuse_many AFTER DELETE ON intake REFERENCING OLD TABLE AS gone
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()
            """)
    }

    /// Writes identities of a source run that were last seen three days ago.
    private func age(_ test: TestCatalogue, run: Int64, upTo last: Int64) async throws {
        _ = try await test.pool.query(
            """
            INSERT INTO intake SELECT rendition_id, \(run), n, \(midnight.microseconds) + n, 1, 'stored',
                now() - interval '72 hours' FROM rendition, generate_series(1, \(last)) AS n
            ON CONFLICT DO NOTHING
            """)
    }

    @Test("However many identities are old, they are deleted in steps")
    func many() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await age(test, run: 5, upTo: 60_000)
            try await age(test, run: 1, upTo: 25_000)
            try await limitDeletions(to: 10_000, in: test)
            try await test.catalogue.pruneIdentities()
            #expect(try await test.number("SELECT count(*) FROM intake WHERE feed_id = 5") == 3)
            #expect(try await test.number("SELECT count(*) FROM intake WHERE feed_id = 1") == 4)
            try await age(test, run: 1, upTo: 25_000)
            try await test.catalogue.expire(recording.channel, before: midnight + hour, graceSeconds: 0)
            try await test.catalogue.pruneSourceRuns()
            #expect(try await test.number("SELECT count(*) FROM intake WHERE feed_id = 1") == 0)
            #expect(try await test.number("SELECT count(*) FROM feed WHERE feed_id = 1") == 0)
        }
    }

    @Test("Many source runs that stay do not hide the past ones behind them")
    func manyRuns() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            let other = try await ChannelRecording("other", in: test)
            _ = try await test.pool.query(
                """
                INSERT INTO feed (feed_id, channel_id, source, began_us, clock)
                SELECT -n, \(other.row), '', 0, 'arrival' FROM generate_series(1, 1200) AS n
                """)
            _ = try await test.pool.query("UPDATE line SET forgotten_us = 1 WHERE channel_id = \(other.row)")
            _ = try await test.pool.query(
                """
                INSERT INTO rendition (channel_id, name, kind) VALUES (\(other.row), 'v0', 'video')
                """)
            _ = try await test.pool.query(
                """
                INSERT INTO intake SELECT rendition_id, -n, 1, 5, 1, 'stored' FROM rendition,
                    generate_series(1, 1200) AS n WHERE channel_id = \(other.row)
                """)
            try await test.catalogue.expire(recording.channel, before: midnight + hour, graceSeconds: 0)
            try await test.catalogue.pruneSourceRuns()
            #expect(
                try await test.rows("SELECT feed_id FROM feed WHERE feed_id > 0 ORDER BY 1") == [
                    [2], [3], [4], [5],
                ])
            #expect(try await test.number("SELECT count(*) FROM feed WHERE feed_id < 0") == 1200)
        }
    }

    /// Source runs that begin a minute apart with one segment each.
    ///
    /// Only one rendition has seen the first three.
    private func recorded(_ test: TestCatalogue, runs: Int64 = 5) async throws -> ChannelRecording {
        let recording = try await ChannelRecording(in: test)
        let facts = (1...runs).map { recording.fact($0 * 10, run: $0, at: $0 * minute) }
        let others = (1...3).map { recording.fact($0 * 10, of: audio, run: $0, at: $0 * minute) }
        var batch = recording.batch((facts + others).map { .archived($0) })
        batch.sourceRuns = (1...runs).map {
            SourceRun(id: $0, source: "http://origin.test/", began: midnight + $0 * minute, clock: "arrival")
        }
        _ = try await test.catalogue.commit(batch)
        return recording
    }

    @Test(
        "A source run is deleted when its segments have expired, except the two newest of each rendition"
    )
    func runs() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await test.catalogue.pruneSourceRuns()
            #expect(try await test.number("SELECT count(*) FROM feed") == 5)
            try await test.catalogue.expire(recording.channel, before: midnight + hour, graceSeconds: 0)
            try await test.catalogue.pruneSourceRuns()
            // Video resumes from 4 and 5, audio from 2 and 3.
            #expect(try await test.rows("SELECT feed_id FROM feed ORDER BY 1") == [[2], [3], [4], [5]])
            #expect(
                try await test.rows("SELECT DISTINCT feed_id FROM intake ORDER BY 1") == [[2], [3], [4], [5]])
            #expect(try await test.catalogue.heads(of: recording.row).map(\.known.count) == [2, 2])
        }
    }

    @Test("A source run with stored segments stays", arguments: [false, true])
    func held(isKept: Bool) async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            if isKept {
                _ = try await test.pool.query(
                    """
                    INSERT INTO recording (channel_id, begin_us, end_us) VALUES (\(recording.row),
                        \((midnight + minute).microseconds), \((midnight + minute + second).microseconds))
                    """)
            }
            // After the begin of the first one and before its end.
            let cut = isKept ? midnight + hour : midnight + minute + second
            try await test.catalogue.expire(recording.channel, before: cut, graceSeconds: 0)
            try await test.catalogue.pruneSourceRuns()
            #expect(try await test.number("SELECT count(*) FROM feed") == 5)
        }
    }

    @Test("A source run without segments expires by its begin, unless it is the newest")
    func emptyRuns() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch()
            batch.sourceRuns = (1...2).map {
                SourceRun(
                    id: $0, source: "http://origin.test/", began: midnight + $0 * minute, clock: "arrival")
            }
            _ = try await test.catalogue.commit(batch)
            try await test.catalogue.expire(recording.channel, before: midnight + hour, graceSeconds: 0)
            try await test.catalogue.pruneSourceRuns()
            #expect(try await test.rows("SELECT feed_id FROM feed") == [[2]])
        }
    }

    @Test("Pending identities are found by their own index")
    func pending() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<3, on: recording)
            _ = try await test.pool.query(
                """
                INSERT INTO intake (rendition_id, feed_id, origin_number, start_us, duration_us, state)
                SELECT (SELECT min(rendition_id) FROM rendition), 2, n, n, 1,
                    CASE WHEN n % 10000 = 0 THEN 'key_pending' ELSE 'stored' END
                FROM generate_series(1, 40000) AS n
                """)
            _ = try await test.pool.query("ANALYZE intake")
            let pending = try await test.catalogue.head(of: recording.row).pending
            #expect(pending.map(\.begin.microseconds) == [40_000, 30_000, 20_000, 10_000])
            let plan = try await test.pool.query(
                """
                EXPLAIN SELECT start_us, duration_us FROM intake i
                WHERE i.rendition_id = 1 AND state IN ('listed', 'key_pending') ORDER BY start_us DESC LIMIT 1000
                """
            ).map { try $0.decode(0, as: String.self) }.joined(separator: "\n")
            #expect(plan.contains("intake_pending"), "\(plan)")
        }
    }
}
