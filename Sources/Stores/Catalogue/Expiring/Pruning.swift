import Postgres
import Synchronization
import Timeline

/// Up to which identity, by age, all have been examined: those before it that are left have to stay.
final class PrunedIdentities: Sendable {
    struct Cursor {
        /// Text of a `timestamptz`.
        var seen: String
        var rendition: Int32
        var run: Int64
        var number: Int64

        /// Before all identities.
        static let first = Cursor(seen: "-infinity", rendition: .min, run: .min, number: .min)
    }

    private let state = Mutex<(cursor: Cursor, calls: Int)>((.first, 0))

    /// Where a call begins: where the one before ended, or with the oldest identity once an hour.
    func begin() -> Cursor {
        state.withLock { state in
            if state.calls % Limits.pruningCalls == 0 { state.cursor = .first }
            state.calls += 1
            return state.cursor
        }
    }

    func end(at cursor: Cursor) {
        state.withLock { $0.cursor = cursor }
    }
}

extension Catalogue {
    /// Deletes identities that sources no longer list; the newest of each source run stays.
    ///
    /// `ahead` is how many microseconds the database's clock is ahead of the time from which ages are
    /// measured.
    ///
    /// Works in steps of `Limits.prunedPerStatement`, so that no statement reaches its time limit, and
    /// ends after `Limits.pruningSteps` of them; the next call continues.
    ///
    /// - Returns: how many identities were examined
    @discardableResult
    package func pruneIdentities(ahead: Int64 = 0) async throws(CatalogueError) -> Int64 {
        let age = Double(Limits.identityHours) * 3600 + Microseconds.seconds(ahead)
        return try await mappingErrors {
            var cursor = pruned.begin()
            var examined: Int64 = 0
            for _ in 0..<Limits.pruningSteps {
                let step = try await pruneIdentities(olderThan: age, after: cursor)
                examined += step.examined
                guard let last = step.last else { break }
                cursor = last
                pruned.end(at: cursor)
                if step.examined < Limits.prunedPerStatement { break }
                try Task.checkCancellation()
            }
            return examined
        }
    }

    /// Examines the next identities in the order of their ages.
    private func pruneIdentities(
        olderThan age: Double, after cursor: PrunedIdentities.Cursor,
    ) async throws -> (examined: Int64, last: PrunedIdentities.Cursor?) {
        let rows = try await pool.query(
            """
            WITH examined AS MATERIALIZED (
                SELECT ctid AS place, seen_at, rendition_id, feed_id, origin_number FROM intake
                WHERE seen_at < now() - make_interval(secs => \(age))
                    AND seen_at >= \(cursor.seen)::timestamptz
                    AND (seen_at, rendition_id, feed_id, origin_number)
                        > (\(cursor.seen)::timestamptz, \(cursor.rendition), \(cursor.run), \(cursor.number))
                ORDER BY seen_at, rendition_id, feed_id, origin_number LIMIT \(Limits.prunedPerStatement)),
            gone AS (
                DELETE FROM intake WHERE ctid = ANY(ARRAY(
                    SELECT e.place FROM examined e
                    WHERE e.origin_number < (SELECT max(n.origin_number) FROM intake n
                        WHERE n.rendition_id = e.rendition_id AND n.feed_id = e.feed_id)))
                AND seen_at < now() - make_interval(secs => \(age)))
            SELECT seen_at::text AS seen, rendition_id, feed_id, origin_number, (SELECT count(*) FROM examined) AS examined
            FROM examined ORDER BY seen_at DESC, rendition_id DESC, feed_id DESC, origin_number DESC LIMIT 1
            """)
        guard let row = rows.first else { return (0, nil) }
        let last = PrunedIdentities.Cursor(
            seen: try row.decode("seen"), rendition: try row.decode("rendition_id"),
            run: try row.decode("feed_id"), number: try row.decode("origin_number"))
        return (try row.decode("examined"), last)
    }

    /// Deletes source runs whose segments have all expired, together with their identities.
    ///
    /// The two newest source runs of each rendition stay, since a recorder may resume from them, and so does
    /// the channel's newest one. The newest identity of a source run, which `pruneIdentities` keeps,
    /// tells how far it reached.
    ///
    /// All source runs are examined, `Limits.runsPerStatement` in one statement.
    package func pruneSourceRuns() async throws(CatalogueError) {
        try await mappingErrors {
            var cursor: Int64? = .min
            while let after = cursor {
                let (examined, past) = try await pastRuns(after: after)
                if !past.isEmpty {
                    // Identities first: a run without them is still found, and never the other way round.
                    try await deleteIdentities(of: past)
                    _ = try await pool.query("DELETE FROM feed WHERE feed_id = ANY(\(past))")
                }
                cursor = examined
            }
        }
    }

    /// Deletes nodes whose heartbeat ran out long ago; their leases stay free.
    package func pruneNodes() async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                DELETE FROM node
                WHERE expires_at < now() - make_interval(days => \(Int32(Limits.stoppedNodeDays)))
                """)
        }
    }

    /// Which of the next source runs are past, and the last run that was examined; nil after the last one.
    private func pastRuns(after cursor: Int64) async throws -> (examined: Int64?, past: [Int64]) {
        let rows = try await pool.query(
            """
            WITH next AS (
                SELECT f.feed_id, f.channel_id, f.began_us, l.forgotten_us FROM feed f JOIN line l USING (channel_id)
                WHERE f.feed_id > \(cursor) AND f.began_us < l.forgotten_us
                ORDER BY f.feed_id LIMIT \(Limits.runsPerStatement)),
            part AS (
                SELECT f.feed_id, f.channel_id, f.began_us, f.forgotten_us, newest.end_us,
                    newest.end_us IS NULL OR (SELECT count(*) = 2 FROM (
                        SELECT FROM feed n WHERE n.channel_id = f.channel_id AND n.feed_id > f.feed_id
                            AND EXISTS (SELECT FROM intake i
                                WHERE i.rendition_id = r.rendition_id AND i.feed_id = n.feed_id)
                        LIMIT 2) AS newer) AS passed,
                    EXISTS (SELECT FROM segment_kept k WHERE k.rendition_id = r.rendition_id
                        AND k.feed_id = f.feed_id) AS kept
                FROM next f LEFT JOIN rendition r USING (channel_id)
                    LEFT JOIN LATERAL (SELECT i.start_us + i.duration_us AS end_us FROM intake i
                        WHERE i.rendition_id = r.rendition_id AND i.feed_id = f.feed_id
                        ORDER BY i.origin_number DESC LIMIT 1) AS newest ON true)
            SELECT p.feed_id, bool_and(p.passed) AND NOT bool_or(p.kept)
                AND coalesce(max(p.end_us), min(p.began_us)) <= p.forgotten_us
                AND EXISTS (SELECT FROM feed n WHERE n.channel_id = p.channel_id AND n.feed_id > p.feed_id) AS past
            FROM part p GROUP BY p.feed_id, p.channel_id, p.forgotten_us ORDER BY p.feed_id
            """)
        let runs = try rows.map {
            (id: try $0.decode("feed_id", as: Int64.self), isPast: try $0.decode("past", as: Bool.self))
        }
        return (runs.last?.id, runs.filter(\.isPast).map(\.id))
    }

    private func deleteIdentities(of runs: [Int64]) async throws {
        let isDone = try await pruning {
            """
            WITH gone AS (
                DELETE FROM intake WHERE ctid = ANY(ARRAY(
                    SELECT i.ctid FROM unnest(\(runs)) AS past(feed_id) JOIN feed f USING (feed_id)
                        JOIN rendition r USING (channel_id)
                        JOIN intake i ON i.rendition_id = r.rendition_id AND i.feed_id = f.feed_id
                    LIMIT \(Limits.prunedPerStatement))) RETURNING 1)
            SELECT count(*) FROM gone
            """
        }
        guard isDone else { throw CatalogueError.notInTime }
    }

    /// Repeats a statement that deletes rows and counts them, until it deletes fewer than it may.
    ///
    /// - Returns: false if it did not come to its end within `Limits.pruningSteps`
    private func pruning(_ statement: () -> Statement) async throws -> Bool {
        for _ in 0..<Limits.pruningSteps {
            let deleted = try await pool.query(statement()).first?.decode(0, as: Int64.self) ?? 0
            if deleted < Limits.prunedPerStatement { return true }
            try Task.checkCancellation()
        }
        return false
    }
}
