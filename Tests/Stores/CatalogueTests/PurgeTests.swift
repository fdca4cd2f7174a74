import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue

@Suite("Purging a channel")
struct PurgeTests {
    /// A channel with everything that a recorder can leave: two renditions over two days, kept and not.
    private func recorded(_ id: String, in test: TestCatalogue) async throws -> ChannelRecording {
        let recording = try await ChannelRecording(id, in: test)
        try await test.publish(0..<5, on: recording)
        try await test.publish(0..<5, of: audio, on: recording)
        var format = SegmentFormat(container: .fragmentedMP4)
        (format.initName, format.keyName) = ("init-0123456789abcdef.mp4", "00112233445566778899aabbccddeeff")
        let late = recording.fact(9, at: day + hour, format: format)
        var batch = recording.batch([.archived(late)], sequence: 1)
        batch.sourceRuns = [
            SourceRun(id: 1, source: "http://origin.test/", began: midnight, clock: "arrival")
        ]
        batch.losses = [Loss(window: window(0, minute), reason: .sourceGap)]
        batch.discontinuityStarts = [0, 1].map {
            DiscontinuityStart(
                sequence: $0, begin: midnight + Int64($0) * hour, cause: .hole, targetSeconds: 4)
        }
        _ = try await test.catalogue.commit(batch)
        try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
        _ = try await test.pool.query(
            """
            INSERT INTO recording (channel_id, begin_us, end_us) VALUES
                (\(recording.row), \(midnight.microseconds), \((midnight + 6 * second).microseconds))
            """)
        // As after retention: kept segments are in their own partition.
        try await test.catalogue.expire(recording.channel, before: midnight + 8 * second, graceSeconds: 0)
        return recording
    }

    private func rows(of recording: ChannelRecording, _ test: TestCatalogue) async throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for table in ["segment", "segment_kept", "block"] {
            counts[table] = try await test.number(
                """
                SELECT count(*) FROM \(identifier: table) JOIN rendition USING (rendition_id)
                WHERE channel_id = \(recording.row)
                """)
        }
        for table in ["loss", "recording_span", "recording", "state", "epoch"] {
            counts[table] = try await test.number(
                "SELECT count(*) FROM \(identifier: table) WHERE channel_id = \(recording.row)")
        }
        return counts
    }

    @Test("No statement deletes the sums of more than a day")
    func dayByDay() async throws {
        try await withCatalogue { test in
            let recording = try await recorded("one", in: test)
            _ = try await test.pool.query(
                """
                INSERT INTO block (rendition_id, quarter_us, revision, segments, bytes, held_us, peak_bps, unpublished,
                    contiguous, begin_us, end_us)
                SELECT rendition_id, q, 1, 1, 1, 1, 1, 0, true, q, q FROM rendition,
                    generate_series(\((midnight - 30 * day).microseconds), \((midnight - day).microseconds), 900000000) AS q
                WHERE channel_id = \(recording.row)
                """)
            _ = try await test.pool.query(
                """
                CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF (SELECT count(*) FROM gone) > 192 THEN RAISE 'too many sums in one statement'; END IF;
                    RETURN NULL; END $$
                """)
            _ = try await test.pool.query(
                """
                CREATE TRIGGER refuse_many AFTER DELETE ON block REFERENCING OLD TABLE AS gone
                    FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()
                """)
            try await test.catalogue.purge(recording.channel.id, graceSeconds: 0)
            #expect(try await test.number("SELECT count(*) FROM block") == 0)
        }
    }

    @Test("All segments are deleted at once, kept ones too, and the channel's row stays")
    func everything() async throws {
        try await withCatalogue { test in
            let recording = try await recorded("one", in: test)
            let other = try await recorded("other", in: test)
            let before = try await rows(of: recording, test)
            #expect(before["segment_kept"] == 4 && before["segment"] == 11 && !before.values.contains(0))
            #expect(try await test.catalogue.purge(recording.channel.id, graceSeconds: 60) == 11)
            let left = try await rows(of: recording, test)
            #expect(left.filter { $0.key != "epoch" }.values.allSatisfy { $0 == 0 }, "\(left)")
            #expect(left["epoch"] == 1)
            let deleted = try await test.catalogue.channel(recording.channel.id)
            #expect(deleted?.isDeleted == true && deleted?.settings.recording == false)
            #expect(
                deleted?.settings.retentionSeconds == 0 && deleted?.version == recording.channel.version + 1)
            #expect(try await rows(of: other, test) == before)
        }
    }

    @Test("The files of every hour and the objects are scheduled for deletion after the grace period")
    func grace() async throws {
        try await withCatalogue { test in
            let recording = try await recorded("one", in: test)
            _ = try await test.pool.query("DELETE FROM pending_deletion_hour")
            try await test.catalogue.purge(recording.channel.id, graceSeconds: 60)
            #expect(try await test.catalogue.pendingDeletionHours(limit: 100).isEmpty)
            #expect(try await test.catalogue.pendingDeletionObjects(limit: 100).isEmpty)
            for table in ["pending_deletion_hour", "pending_deletion_object"] {
                _ = try await test.pool.query(
                    "UPDATE \(identifier: table) SET not_before = not_before - interval '61 seconds'")
            }
            let past = try await test.catalogue.pendingDeletionHours(limit: 100).filter {
                $0.hour < midnight + 3 * day
            }
            #expect(
                Set(past.map { "\($0.rendition) \($0.hour - midnight)" }) == [
                    "v0 0", "a0 0", "v0 \(day + hour)",
                ])
            let id = recording.channel.id
            #expect(
                Set(try await test.catalogue.pendingDeletionObjects(limit: 100).flatMap(\.keys)) == [
                    .initialization(id, video, "init-0123456789abcdef.mp4"),
                    .initialization(id, audio, "init-0123456789abcdef.mp4"),
                    .key(id, "00112233445566778899aabbccddeeff"),
                ])
        }
    }

    /// ```
    /// commit                                    purge
    /// locks the published head
    ///                                           locks the channel, waits for the published head
    /// inserts rows that refer to the channel
    /// ```
    @Test("A purge and a commit at the same time do not wait for each other")
    func duringCommit() async throws {
        try await withCatalogue { test in
            let recording = try await recorded("one", in: test)
            let id = recording.channel.id
            let purge = try await test.pool.transaction { transaction in
                _ = try await transaction.query(
                    "UPDATE line SET revision = revision + 1 WHERE channel_id = \(recording.row)")
                let purge = Task { try await test.catalogue.purge(id, graceSeconds: 0) }
                try await eventually("the waiting purge") {
                    let waiting: Statement = """
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """
                    return try await test.pool.query(waiting).count == 1
                }
                _ = try await transaction.query(
                    """
                    INSERT INTO loss (channel_id, begin_us, end_us, reason)
                    VALUES (\(recording.row), 0, 1, 1)
                    """)
                return purge
            }
            #expect(try await purge.value == 11)
        }
    }

    @Test("Segments that were being recorded are refused, and their files are deleted with the hour")
    func inFlight() async throws {
        try await withCatalogue { test in
            let recording = try await recorded("one", in: test)
            try await test.catalogue.purge(recording.channel.id, graceSeconds: 0)
            let cut = try await test.catalogue.publishedHead(of: recording.row).expiredBefore
            let late = recording.fact(20, at: (cut - midnight) - second)
            // The purge has ended the lease: what is recorded from now on begins from nothing.
            #expect(try await !test.catalogue.commit(recording.batch([.archived(late)])))
            #expect(try await rows(of: recording, test)["segment"] == 0)
            let hours = try await test.catalogue.pendingDeletionHours(limit: 100)
            #expect(
                hours.contains {
                    $0.rendition == video && $0.hour <= late.start && late.start < $0.hour + hour
                        && late.start < $0.before
                })
        }
    }

    @Test(
        "A new channel with the same id begins after everything recorded, even if that was ahead of the clock"
    )
    func again() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording("one", in: test)
            let ahead = 200 * 365 * day
            _ = try await test.catalogue.commit(recording.batch([.archived(recording.fact(0, at: ahead))]))
            try await test.catalogue.purge(recording.channel.id, graceSeconds: 0)
            let again = try await test.catalogue.create(try settings("one"))
            #expect(again.row == recording.row && again.settings.recording)
            #expect(
                try await test.catalogue.publishedHead(of: recording.row).expiredBefore >= midnight + ahead
                    + 4
                    * second)
            let next = recording.fact(1, at: ahead + 4 * second)
            _ = try await test.catalogue.commit(recording.batch([.archived(next)]))
            #expect(try await test.number("SELECT count(*) FROM segment") == 1)
        }
    }

    @Test("A stale version purges nothing, and a deleted channel has no version to check")
    func versions() async throws {
        try await withCatalogue { test in
            let recording = try await recorded("one", in: test)
            let id = recording.channel.id
            let stale = await failure { try await test.catalogue.purge(id, version: 99, graceSeconds: 0) }
            guard case .staleVersion(current: 1) = stale else {
                Issue.record("\(String(describing: stale))")
                return
            }
            #expect(try await rows(of: recording, test)["segment"] == 11)
            try await test.catalogue.delete(id)
            #expect(try await test.catalogue.purge(id, version: 1, graceSeconds: 0) == 11)
            #expect(try await test.catalogue.purge(id, graceSeconds: 0) == 0)
            let unknown = await failure { try await test.catalogue.purge(try slug("none"), graceSeconds: 0) }
            guard case .noSuchChannel = unknown else {
                Issue.record("\(String(describing: unknown))")
                return
            }
        }
    }
}
