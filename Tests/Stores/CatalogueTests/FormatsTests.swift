import DatabaseSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue

@Suite("Expiring formats")
struct FormatsTests {
    /// Four formats with one segment each, in sequence; `init-b` and `k1` are used once, the others twice.
    private func recorded(_ test: TestCatalogue) async throws -> ChannelRecording {
        let recording = try await ChannelRecording(in: test)
        let names = [("init-a", "k1"), ("init-b", "k2"), ("init-a", "k2"), ("init-c", "k3")]
        let facts = names.enumerated().map { index, names in
            var format = SegmentFormat(container: .fragmentedMP4)
            (format.initName, format.keyName) = (names.0, names.1)
            return recording.fact(Int64(index), at: Int64(index) * 10 * second, format: format)
        }
        _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
        return recording
    }

    private func keep(_ test: TestCatalogue, _ recording: ChannelRecording, _ window: TimeWindow) async throws
    {
        _ = try await test.pool.query(
            """
            INSERT INTO recording (channel_id, begin_us, end_us)
            VALUES (\(recording.row), \(window.begin.microseconds), \(window.end.microseconds))
            """)
    }

    private func pendingDeletionKeys(_ test: TestCatalogue) async throws -> Set<ArchiveKey> {
        Set(try await test.catalogue.pendingDeletionObjects(limit: 100).flatMap(\.keys))
    }

    @Test(
        "A format expires with its last segment, and files that no other format names are scheduled for deletion"
    )
    func last() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await test.catalogue.expire(recording.channel, before: midnight + 2 * second, graceSeconds: 0)
            try await test.catalogue.expireFormats(graceSeconds: 0)
            // The segment that begins before the cut has expired, but it ends after the cut, so its format
            // waits for the next one.
            #expect(try await test.number("SELECT count(*) FROM state") == 4)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 15 * second, graceSeconds: 0)
            try await test.catalogue.expireFormats(graceSeconds: 0)
            #expect(try await test.number("SELECT count(*) FROM state") == 2)
            let id = recording.channel.id
            #expect(
                try await pendingDeletionKeys(test) == [.initialization(id, video, "init-b"), .key(id, "k1")])
            // An object that another format names is checked once and no longer pending.
            #expect(try await test.number("SELECT count(*) FROM pending_deletion_object") == 2)
        }
    }

    @Test("A format of kept segments stays")
    func kept() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await keep(test, recording, window(0, second))
            try await test.catalogue.expire(recording.channel, before: midnight + hour, graceSeconds: 0)
            try await test.catalogue.expireFormats(graceSeconds: 0)
            #expect(try await test.number("SELECT count(*) FROM state") == 1)
            let id = recording.channel.id
            #expect(
                try await pendingDeletionKeys(test) == [
                    .initialization(id, video, "init-b"), .initialization(id, video, "init-c"),
                    .key(id, "k2"),
                    .key(id, "k3"),
                ])
        }
    }

    @Test("Nothing is deleted during the grace period, and a format that returns keeps its files")
    func grace() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await test.catalogue.expire(recording.channel, before: midnight + hour, graceSeconds: 0)
            try await test.catalogue.expireFormats(graceSeconds: 3600)
            #expect(try await test.number("SELECT count(*) FROM state") == 0)
            #expect(try await pendingDeletionKeys(test) == [])
            _ = try await test.pool.query(
                "UPDATE pending_deletion_object SET not_before = now() - interval '1 second'")
            var format = SegmentFormat(container: .fragmentedMP4)
            format.initName = "init-a"
            let fact = recording.fact(9, at: 2 * hour, format: format)
            _ = try await test.catalogue.commit(recording.batch([.archived(fact)]))
            let id = recording.channel.id
            #expect(
                try await pendingDeletionKeys(test) == [
                    .initialization(id, video, "init-b"), .initialization(id, video, "init-c"),
                    .key(id, "k1"),
                    .key(id, "k2"), .key(id, "k3"),
                ])
        }
    }

    @Test("Ids of formats begin again behind the last one, and those in use are passed over")
    func ids() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            _ = try await test.pool.query(
                "SELECT setval(pg_get_serial_sequence('state', 'state_id'), \(Int64(Int32.max) - 1))")
            let facts = (5...7).map { index in
                var format = SegmentFormat(container: .fragmentedMP4)
                format.keyName = "key\(index)"
                return recording.fact(Int64(index), at: Int64(index) * 10 * second, format: format)
            }
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            #expect(try await test.number("SELECT count(*) FROM state") == 7)
            #expect(try await test.number("SELECT max(state_id) FROM state") == Int64(Int32.max))
            #expect(try await test.number("SELECT count(*) FROM state WHERE state_id BETWEEN 5 AND 6") == 2)
        }
    }

    @Test("A deleted object is completed, and at most the given number is returned at once")
    func completed() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await test.catalogue.expire(recording.channel, before: midnight + hour, graceSeconds: 0)
            try await test.catalogue.expireFormats(graceSeconds: 0)
            var rounds = 0
            while case let objects = try await test.catalogue.pendingDeletionObjects(limit: 4),
                !objects.isEmpty
            {
                rounds += 1
                for object in objects { try await test.catalogue.completeDeletion(object) }
            }
            #expect(rounds == 2)
        }
    }

    @Test("More formats than one statement deletes expire in steps, and a purge deletes them in steps")
    func steps() async throws {
        try await withCatalogue { test in
            let expiring = try await ChannelRecording("expiring", in: test)
            let purged = try await ChannelRecording("purged", in: test)
            _ = try await test.pool.query(
                """
                INSERT INTO state (channel_id, digest, container, tracks, codecs, width, height, key_name, drm_tags,
                    last_used_us)
                SELECT c, sha256(convert_to(n::text, 'UTF8')), 'ts', '', '', 0, 0, 'key' || n, '{}',
                    \((midnight + day).microseconds)
                FROM generate_series(1, 25) AS n, unnest(\([expiring.row, purged.row])) AS c
                """)
            _ = try await test.pool.query(
                """
                UPDATE line SET forgotten_us = \((midnight + 2 * day).microseconds)
                WHERE channel_id = \(expiring.row)
                """)
            try await test.catalogue.expireFormats(graceSeconds: 0, step: 10)
            #expect(
                try await test.number("SELECT count(*) FROM state WHERE channel_id = \(expiring.row)") == 0)
            #expect(try await test.number("SELECT count(*) FROM state") == 25)
            #expect(try await pendingDeletionKeys(test).count == 25)
            try await test.catalogue.purge(purged.channel.id, graceSeconds: 0, formatStep: 10)
            #expect(try await test.number("SELECT count(*) FROM state") == 0)
            #expect(try await pendingDeletionKeys(test).count == 50)
        }
    }

    @Test("A call examines a bounded number of formats, and the next one continues")
    func bounded() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            _ = try await test.pool.query(
                """
                INSERT INTO state (channel_id, digest, container, tracks, codecs, width, height, drm_tags, last_used_us)
                SELECT \(recording.row), sha256(convert_to(n::text, 'UTF8')), 'ts', '', '', 0, 0, '{}',
                    CASE WHEN n > 100 THEN 0 ELSE \((midnight + day).microseconds) END
                FROM generate_series(1, 105) AS n ORDER BY n
                """)
            _ = try await test.pool.query(
                "UPDATE line SET forgotten_us = \(midnight.microseconds) WHERE channel_id = \(recording.row)")
            var counts: [Int64] = []
            for _ in 0..<2 {
                try await test.catalogue.expireFormats(graceSeconds: 0, step: 10)
                counts.append(try await test.number("SELECT count(*) FROM state") ?? -1)
            }
            #expect(counts == [105, 100])
            _ = try await test.pool.query("UPDATE state SET last_used_us = 0 WHERE state_id % 2 = 0")
            try await test.catalogue.expireFormats(graceSeconds: 0, step: 20)
            #expect(try await test.number("SELECT count(*) FROM state") == 50)
        }
    }

    @Test("Tens of thousands of keys and formats of one channel are gone through within seconds")
    func manyObjects() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.pool.transaction { transaction in
                _ = try await transaction.query(
                    """
                    INSERT INTO state (channel_id, digest, container, tracks, codecs, width, height, init_name,
                        key_name, drm_tags, last_used_us)
                    SELECT \(recording.row), sha256(convert_to(n::text, 'UTF8')), 'ts', '', '', 0, 0,
                        'init' || n % 10, 'key' || n, '{}', 0 FROM generate_series(1, 22000) AS n
                    """)
                // A third of the keys is in use again, and one of the initialization sections is not.
                _ = try await transaction.query(
                    """
                    INSERT INTO pending_deletion_object (channel_id, is_key, name, not_before)
                    SELECT \(recording.row), true, 'key' || n, now() - interval '1 hour'
                    FROM generate_series(12001, 42000) AS n
                    UNION ALL SELECT \(recording.row), false, 'init' || n, now() - interval '1 hour'
                    FROM generate_series(0, 10) AS n
                    """)
            }
            var configuration = try PoolConfiguration.patient(test.uri)
            configuration.statementTimeout = .seconds(30)
            try await withPool(configuration) { pool in
                let catalogue = Catalogue(pool: pool, logger: silentLogger)
                var found: [ArchiveKey] = []
                while case let objects = try await catalogue.pendingDeletionObjects(limit: 500),
                    !objects.isEmpty
                {
                    found += objects.flatMap(\.keys)
                    _ = try await pool.query(
                        "DELETE FROM pending_deletion_object WHERE name = ANY(\(objects.map(\.name)))")
                }
                #expect(found.count == 20_000 && Set(found).count == 20_000)
                #expect(found.contains(.key(recording.channel.id, "key22001")))
                #expect(!found.contains(.key(recording.channel.id, "key22000")))
            }
            #expect(try await test.number("SELECT count(*) FROM pending_deletion_object") == 0)
        }
    }
}
