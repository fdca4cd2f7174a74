import Postgres
package import Timeline

extension Catalogue {
    /// Expires everything of a channel that begins before a cut.
    ///
    /// First the published head stores the cut, so nothing older can be inserted. Then segments of kept
    /// recordings are moved to their own partition, all other segments are deleted, and the hours of their
    /// files are scheduled for deletion.
    ///
    /// A cut in the future is reduced to the later of now and the end of the published log, because it would
    /// also reject what is recorded next. Long spans are deleted one day per transaction, oldest first, so
    /// that publishing never waits long. After a failure the next call continues.
    ///
    /// The files stay during the grace period for players that hold an older playlist.
    ///
    /// - Returns: the number of segments that expired
    @discardableResult
    package func expire(
        _ channel: Channel, before cut: Instant, graceSeconds: Int,
    ) async throws(CatalogueError) -> Int {
        try await expire(channel.id, row: channel.row, before: cut, graceSeconds: graceSeconds)
    }

    /// The same for a channel whose settings are not known.
    @discardableResult
    package func expire(
        _ id: ChannelID, row: Int32, before cut: Instant, graceSeconds: Int,
    ) async throws(CatalogueError) -> Int {
        try await mappingErrors {
            var expired = 0
            while true {
                let step = try await pool.transaction { transaction in
                    try await Expiring(id: id, row: row, grace: graceSeconds, transaction: transaction).run(
                        before: cut)
                }
                expired += step.segments
                if step.isLast { return expired }
            }
        }
    }
}

/// Expires segments in one transaction.
private struct Expiring {
    let id: ChannelID
    let row: Int32
    let grace: Int
    let transaction: PostgresTransaction

    func run(before wanted: Instant) async throws -> (segments: Int, isLast: Bool) {
        guard let whole = try await possible(wanted) else { return (0, true) }
        let oldest = try await oldestQuarter()
        let cut = oldest.map { min(whole, $0 + Limits.expiredPerTransaction) } ?? whole
        var change = PublishedHeadChange(
            channel: row, revision: try await movePublishedHead(to: cut), touched: [])
        var segments = 0
        for (rendition, name) in try await renditions() {
            try await keep(rendition, before: cut)
            let (count, quarters) = try await drop(rendition, prefix: "\(id)/\(name)", before: cut)
            segments += count
            change.touched?.formUnion(quarters)
        }
        try await expireOtherFacts(cut)
        try await transaction.announce(change)
        return (segments, cut == whole)
    }

    /// Locks the channel and limits a cut to the present.
    ///
    /// Nil if everything before the cut has expired already.
    private func possible(_ cut: Instant) async throws -> Instant? {
        let rows = try await transaction.query(
            """
            SELECT greatest(end_us, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS latest, forgotten_us
            FROM line WHERE channel_id = \(row) FOR UPDATE
            """)
        guard let row = rows.first else { return nil }
        let latest = min(cut, Instant(microseconds: try row.decode("latest")))
        return latest.microseconds > (try row.decode("forgotten_us", as: Int64.self)) ? latest : nil
    }

    private func oldestQuarter() async throws -> Instant? {
        let rows = try await transaction.query(.oldest(of: row))
        guard let row = rows.first else { return nil }
        return try OldestOfChannel(row).quarter
    }

    /// - Returns: the channel's new revision
    private func movePublishedHead(to cut: Instant) async throws -> Int64 {
        let rows = try await transaction.query(
            """
            UPDATE line SET forgotten_us = \(cut.microseconds), revision = revision + 1
            WHERE channel_id = \(row) RETURNING revision
            """)
        guard let row = rows.first else {
            throw CatalogueError.unreadable("channel \(row) has no published head")
        }
        return try row.decode("revision")
    }

    private func renditions() async throws -> [(Int32, String)] {
        try await transaction.query(
            "SELECT rendition_id, name FROM rendition WHERE channel_id = \(row)"
        )
        .map { (try $0.decode("rendition_id"), try $0.decode("name")) }
    }

    private func keep(_ rendition: Int32, before cut: Instant) async throws {
        _ = try await transaction.query(
            """
            UPDATE segment s SET kept = true FROM recording r
            WHERE s.rendition_id = \(rendition) AND NOT s.kept AND s.start_us < \(cut.microseconds)
                AND r.channel_id = \(row) AND s.start_us < r.end_us
                AND s.start_us + s.duration_us > r.begin_us
            """)
    }

    private func drop(
        _ rendition: Int32, prefix: String, before cut: Instant,
    ) async throws -> (segments: Int, quarters: Set<Quarter>) {
        let rows = try await transaction.query(
            """
            WITH gone AS (
                DELETE FROM segment WHERE rendition_id = \(rendition) AND NOT kept
                    AND start_us < \(cut.microseconds) RETURNING start_us),
            aside AS (
                DELETE FROM set_aside WHERE rendition_id = \(rendition) AND NOT kept
                    AND start_us < \(cut.microseconds) RETURNING start_us),
            every AS (SELECT start_us FROM gone UNION ALL SELECT start_us FROM aside),
            pending AS (
                INSERT INTO pending_deletion_hour (prefix, hour_us, not_before)
                SELECT DISTINCT \(prefix), start_us - start_us % \(Catalogue.hourMicroseconds),
                    now() + make_interval(secs => \(Double(grace)))
                FROM every ON CONFLICT (prefix, hour_us) DO UPDATE SET not_before = excluded.not_before)
            SELECT start_us - start_us % \(Quarter.microseconds) AS quarter_us, count(*) AS segments
            FROM every GROUP BY 1
            """)
        let quarters = Set(
            try rows.map { Quarter(rendition: rendition, containing: try $0.decode("quarter_us")) })
        try await transaction.summarise(quarters)
        return (try rows.reduce(0) { $0 + (try $1.decode("segments", as: Int.self)) }, quarters)
    }

    /// Deletes losses, recording spans, markers and discontinuity starts that lie before the cut.
    ///
    /// Markers of kept recordings stay.
    ///
    /// The discontinuity sequence in effect at the cut stays, because a segment that is committed late may
    /// need it.
    private func expireOtherFacts(_ cut: Instant) async throws {
        let cut = cut.microseconds
        _ = try await transaction.query("DELETE FROM loss WHERE channel_id = \(row) AND end_us <= \(cut)")
        _ = try await transaction.query(
            "DELETE FROM recording_span WHERE channel_id = \(row) AND end_us <= \(cut)")
        _ = try await transaction.query(
            """
            DELETE FROM marker m WHERE m.channel_id = \(row) AND m.until_us <= \(cut) AND m.begin_us < \(cut)
                AND NOT EXISTS (SELECT FROM recording r WHERE r.channel_id = m.channel_id
                    AND r.begin_us <= m.until_us AND r.end_us > m.begin_us)
            """)
        _ = try await transaction.query(
            """
            DELETE FROM epoch WHERE channel_id = \(row) AND epoch < (
                SELECT e.epoch FROM epoch e WHERE e.channel_id = \(row) AND e.begin_us <= \(cut)
                ORDER BY e.begin_us DESC, e.epoch DESC LIMIT 1)
            """)
    }
}
