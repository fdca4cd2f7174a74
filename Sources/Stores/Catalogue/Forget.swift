import Postgres
package import Timeline

/// An hour of a rendition whose facts are gone and whose bytes may follow.
package struct DoomedHour: Sendable, Hashable {
    package var channel: ChannelID
    package var rendition: RenditionID
    package var hour: Instant
}

extension Catalogue {
    static let hourMicroseconds: Int64 = 3_600_000_000

    /// Forgets what of a channel begins before a cut: first the line says so (from then on nothing is inserted before
    /// it), then rows inside kept recordings move apart, the others go, and their hours are marked for deletion.
    ///
    /// - Parameter graceSeconds: how long the bytes stay for readers that hold an older playlist
    /// - Returns: how many segments were forgotten
    @discardableResult
    package func forget(
        _ channel: Channel, before cut: Instant, graceSeconds: Int,
    ) async throws(CatalogueError) -> Int {
        try await asking {
            try await pool.transaction { transaction in
                let moved = try await transaction.query(
                    """
                    UPDATE line SET forgotten_us = \(cut.microseconds)
                    WHERE channel_id = \(channel.row) AND forgotten_us < \(cut.microseconds) RETURNING channel_id
                    """)
                if moved.isEmpty { return 0 }
                var forgotten = 0
                for (row, id) in try await renditions(of: channel.row, in: transaction) {
                    try await keep(row, of: channel.row, before: cut, in: transaction)
                    forgotten += try await drop(
                        row, prefix: "\(channel.id)/\(id)", before: cut, grace: graceSeconds, in: transaction)
                }
                _ = try await transaction.query(
                    "DELETE FROM loss WHERE channel_id = \(channel.row) AND end_us <= \(cut.microseconds)")
                _ = try await transaction.query("SELECT pg_notify(\(Announcement.line), \(String(channel.row)))")
                return forgotten
            }
        }
    }

    private func renditions(
        of channel: Int32, in transaction: PostgresTransaction,
    ) async throws -> [(Int32, String)] {
        try await transaction.query("SELECT rendition_id, name FROM rendition WHERE channel_id = \(channel)")
            .map { (try $0.decode("rendition_id"), try $0.decode("name")) }
    }

    private func keep(
        _ rendition: Int32, of channel: Int32, before cut: Instant, in transaction: PostgresTransaction,
    ) async throws {
        _ = try await transaction.query(
            """
            UPDATE segment s SET kept = true FROM recording r
            WHERE s.rendition_id = \(rendition) AND NOT s.kept AND s.start_us < \(cut.microseconds)
                AND r.channel_id = \(channel) AND s.start_us < r.end_us AND s.start_us + s.duration_us > r.begin_us
            """)
    }

    private func drop(
        _ rendition: Int32, prefix: String, before cut: Instant, grace: Int, in transaction: PostgresTransaction,
    ) async throws -> Int {
        let rows = try await transaction.query(
            """
            WITH gone AS (
                DELETE FROM segment WHERE rendition_id = \(rendition) AND NOT kept
                    AND start_us < \(cut.microseconds) RETURNING start_us),
            doom AS (
                INSERT INTO doomed (prefix, hour_us, not_before)
                SELECT DISTINCT \(prefix), start_us - start_us % \(Self.hourMicroseconds),
                    now() + make_interval(secs => \(Double(grace)))
                FROM gone ON CONFLICT (prefix, hour_us) DO UPDATE SET not_before = excluded.not_before)
            SELECT DISTINCT start_us - start_us % \(Quarter.microseconds) AS quarter_us, count(*) AS segments
            FROM gone GROUP BY 1
            """)
        let quarters = try rows.map { Quarter(rendition: rendition, containing: try $0.decode("quarter_us")) }
        try await transaction.summarise(Set(quarters))
        return try rows.reduce(0) { $0 + (try $1.decode("segments", as: Int.self)) }
    }

    /// Hours whose grace is over, at most so many.
    package func doomedHours(limit: Int) async throws(CatalogueError) -> [DoomedHour] {
        try await asking {
            try await pool.query(
                "SELECT prefix, hour_us FROM doomed WHERE not_before <= now() ORDER BY not_before LIMIT \(limit)"
            ).compactMap { row in
                let parts = try row.decode("prefix", as: String.self).split(separator: "/")
                guard parts.count == 2, let channel = ChannelID(String(parts[0])),
                    let rendition = RenditionID(String(parts[1]))
                else { return nil }
                return DoomedHour(
                    channel: channel, rendition: rendition, hour: Instant(microseconds: try row.decode("hour_us")))
            }
        }
    }

    /// The names in an hour that facts still stand for: kept recordings, and what lies behind the cut.
    package func names(in hour: DoomedHour) async throws(CatalogueError) -> Set<SegmentName> {
        try await asking {
            let rows = try await pool.query(
                """
                SELECT s.start_us, s.revision, st.container FROM segment s JOIN state st USING (state_id)
                JOIN rendition r USING (rendition_id) JOIN channel c ON c.channel_id = r.channel_id
                WHERE c.slug = \(hour.channel.text) AND r.name = \(hour.rendition.description)
                    AND s.start_us >= \(hour.hour.microseconds)
                    AND s.start_us < \(hour.hour.microseconds + Self.hourMicroseconds)
                """)
            return Set(
                try rows.compactMap { row in
                    SegmentExtension(rawValue: try row.decode("container")).flatMap { container in
                        (try? (row.decode("start_us", as: Int64.self), row.decode("revision", as: Int16.self))).map {
                            SegmentName(
                                start: Instant(microseconds: $0.0), revision: $0.1, fileExtension: container)
                        }
                    }
                })
        }
    }

    /// The bytes of an hour are gone.
    package func undoom(_ hour: DoomedHour) async throws(CatalogueError) {
        try await asking {
            _ = try await pool.query(
                """
                DELETE FROM doomed WHERE prefix = \("\(hour.channel)/\(hour.rendition)")
                    AND hour_us = \(hour.hour.microseconds) AND not_before <= now()
                """)
        }
    }

    /// Drops the partitions of days in which nothing is left and nothing can be entered any more.
    ///
    /// - Returns: the days dropped
    package func dropEmptyDays(before now: Instant) async throws(CatalogueError) -> [String] {
        let newest = Self.day(of: (now - 3 * Self.dayMicroseconds).microseconds)
        return try await asking {
            let names = try await pool.query(
                """
                SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'segment_rolling'::regclass
                    AND c.relname < \(Self.partition(ofDay: newest)) ORDER BY 1
                """
            ).map { try $0.decode("name", as: String.self) }
            var dropped: [String] = []
            for name in names where try await isEmpty(name) {
                try await dropDay(name)
                dropped.append(name)
            }
            return dropped
        }
    }

    private func isEmpty(_ table: String) async throws -> Bool {
        try await pool.query("SELECT FROM \(verbatim: table) LIMIT 1").isEmpty
    }

    private func dropDay(_ name: String) async throws {
        try await pool.transaction { transaction in
            _ = try await transaction.query("SELECT pg_advisory_xact_lock(\(Self.partitionLock))")
            _ = try await transaction.query("LOCK TABLE \(verbatim: name) IN ACCESS EXCLUSIVE MODE")
            let left = try await transaction.query("SELECT FROM \(verbatim: name) LIMIT 1")
            if left.isEmpty { _ = try await transaction.query("DROP TABLE \(verbatim: name)") }
        }
        days.removeAll()
    }

    /// Prunes intake: identities are needed while a source may list them; each feed keeps its newest.
    package func pruneIntake() async throws(CatalogueError) {
        try await asking {
            _ = try await pool.query(
                """
                DELETE FROM intake i WHERE seen_at < now() - make_interval(hours => \(Int32(Limits.intakeHours)))
                    AND origin_number < (SELECT max(n.origin_number) FROM intake n
                        WHERE n.rendition_id = i.rendition_id AND n.feed_id = i.feed_id)
                """)
        }
    }
}
