import Postgres
package import Timeline

/// What a channel has after it was reanchored.
package struct Reanchored: Sendable, Equatable {
    /// End of the published log; nil if nothing is left in it.
    package var liveEdge: Instant?
    /// Segments that were taken off the timeline.
    package var setAside: Int
}

extension Catalogue {
    /// Lets a channel whose published log ends ahead of now continue at now, by the database's clock.
    ///
    /// Segments that begin at or after now are set aside: they leave windows, timeline and summaries, and
    /// stay in the archive until retention deletes them. One that begins before now stays as it is. The
    /// published log ends with what is left, under a new discontinuity sequence, and its owner loses the
    /// lease, so that recording resumes from there.
    ///
    /// - Returns: nil if the published log does not lie ahead by more than `Limits.reanchorMargin`
    package func reanchor(_ channel: Channel) async throws(CatalogueError) -> Reanchored? {
        try await mappingErrors {
            try await pool.transaction { transaction in
                try await Reanchoring(channel: channel.row, transaction: transaction).run()
            }
        }
    }
}

/// Reanchors one channel within one transaction.
private struct Reanchoring {
    let channel: Int32
    let transaction: PostgresTransaction

    func run() async throws -> Reanchored? {
        guard let now = try await presentIfAhead() else { return nil }
        let (count, quarters) = try await setSegmentsAside(from: now)
        try await dropOtherFacts(from: now)
        let end = try await resetNumbers()
        let revision = try await movePublishedHead(to: end, at: now)
        try await transaction.summarise(quarters)
        try await transaction.announce(
            PublishedHeadChange(channel: channel, revision: revision, touched: quarters))
        return Reanchored(liveEdge: end.map(Instant.init(microseconds:)), setAside: count)
    }

    /// Locks the channel, so that nothing is published.
    ///
    /// - Returns: now, microseconds; nil if the published log does not end ahead of it
    private func presentIfAhead() async throws -> Int64? {
        let rows = try await transaction.query(
            """
            SELECT end_us, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us
            FROM line WHERE channel_id = \(channel) FOR UPDATE
            """)
        guard let row = rows.first else {
            throw CatalogueError.unreadable("channel \(channel) has no published head")
        }
        let now = try row.decode("now_us", as: Int64.self)
        return try row.decode("end_us", as: Int64.self) > now + Limits.reanchorMargin ? now : nil
    }

    private func setSegmentsAside(from now: Int64) async throws -> (count: Int, quarters: Set<Quarter>) {
        let rows = try await transaction.query(
            """
            WITH gone AS (
                DELETE FROM segment s USING rendition r
                WHERE r.channel_id = \(channel) AND s.rendition_id = r.rendition_id AND s.start_us >= \(now)
                RETURNING s.*),
            aside AS (
                INSERT INTO set_aside (\(verbatim: SetAside.names)) \(verbatim: SetAside.rowsOfGone))
            SELECT rendition_id, start_us - start_us % \(Quarter.microseconds) AS quarter_us, count(*) AS segments
            FROM gone GROUP BY 1, 2
            """)
        var (count, quarters) = (0, Set<Quarter>())
        for row in rows {
            count += try row.decode("segments", as: Int.self)
            quarters.insert(
                Quarter(
                    rendition: try row.decode("rendition_id"), containing: try row.decode("quarter_us")))
        }
        return (count, quarters)
    }

    /// Deletes what would be taken for a fact about times that are still to come: identities from which a
    /// recorder would resume, losses, times in which the channel was set to record, markers, discontinuity
    /// starts.
    private func dropOtherFacts(from now: Int64) async throws {
        _ = try await transaction.query(
            """
            DELETE FROM intake i USING rendition r
            WHERE r.channel_id = \(channel) AND i.rendition_id = r.rendition_id AND i.start_us >= \(now)
            """)
        _ = try await transaction.query(
            "DELETE FROM loss WHERE channel_id = \(channel) AND begin_us >= \(now)")
        _ = try await transaction.query(
            "UPDATE loss SET end_us = \(now) WHERE channel_id = \(channel) AND end_us > \(now)")
        _ = try await transaction.query(
            "DELETE FROM recording_span WHERE channel_id = \(channel) AND begin_us >= \(now)")
        _ = try await transaction.query(
            "UPDATE recording_span SET end_us = \(now) WHERE channel_id = \(channel) AND end_us > \(now)")
        _ = try await transaction.query(
            "DELETE FROM marker WHERE channel_id = \(channel) AND begin_us >= \(now)")
        _ = try await transaction.query(
            "DELETE FROM epoch WHERE channel_id = \(channel) AND begin_us >= \(now)")
    }

    /// Lets each rendition continue after the last number that is left, so growing playlists have no hole
    /// in their numbers.
    ///
    /// - Returns: end of what is left of the published log, microseconds
    private func resetNumbers() async throws -> Int64? {
        try await transaction.query(
            """
            WITH newest AS (
                SELECT r.rendition_id, s.number, s.end_us FROM rendition r, LATERAL (
                    SELECT s.number, s.start_us + s.duration_us AS end_us FROM segment s
                    WHERE s.rendition_id = r.rendition_id AND s.number IS NOT NULL
                    ORDER BY s.start_us DESC LIMIT 1) AS s
                WHERE r.channel_id = \(channel)),
            reset AS (
                UPDATE rendition r SET next_number = n.number + 1 FROM newest n
                WHERE r.rendition_id = n.rendition_id)
            SELECT max(end_us) AS end_us FROM newest
            """
        ).first?.decode("end_us", as: Int64?.self)
    }

    /// Moves the published head back; its owner thereby loses the lease.
    ///
    /// The new discontinuity sequence begins where the log ends now. Without a log the recorder begins it
    /// with the first segment. An expiry cut ahead of now would refuse what is recorded next.
    ///
    /// - Returns: the channel's new revision
    private func movePublishedHead(to end: Int64?, at now: Int64) async throws -> Int64 {
        let rows = try await transaction.query(
            """
            UPDATE line SET epoch = epoch + 1, end_us = \(end ?? 0), watermark_us = least(watermark_us, \(end ?? 0)),
                forgotten_us = least(forgotten_us, \(now)), fence = fence + 1, revision = revision + 1,
                reanchored_us = \(now), reanchor_fence = fence + 1,
                marker_revision = CASE marker_revision WHEN 0 THEN 0 ELSE revision + 1 END
            WHERE channel_id = \(channel) RETURNING epoch, target_seconds, revision
            """)
        guard let row = rows.first else {
            throw CatalogueError.unreadable("channel \(channel) has no published head")
        }
        let sequence = try row.decode("epoch", as: Int32.self)
        let target = try row.decode("target_seconds", as: Int32.self)
        if let end {
            _ = try await transaction.query(
                """
                INSERT INTO epoch (channel_id, epoch, begin_us, cause, target_seconds)
                VALUES (\(channel), \(sequence), \(end), 'reanchor', \(target))
                """)
        }
        return try row.decode("revision")
    }
}

/// The columns of `set_aside`: those of `segment` but for its number.
///
/// Better bytes of a segment have a row of their own, with their revision.
enum SetAside {
    static let names = """
        rendition_id, start_us, kept, duration_us, epoch, revision, state_id, flags, stored_bytes, plain_bytes, iv,
        feed_id, origin_number, pdt_us, arrived_us, first_pts, digest, measured_us, cue_tags
        """
    /// SQL for the rows of segments `gone` that were deleted from `segment`, and of their better bytes.
    static let rowsOfGone = """
        SELECT \(columns) FROM gone s
        UNION ALL SELECT \(betterColumns) FROM gone s WHERE s.repair_revision IS NOT NULL
        ON CONFLICT DO NOTHING
        """
    /// The same columns, of a row `s`.
    private static let columns = """
        s.rendition_id, s.start_us, s.kept, s.duration_us, s.epoch, s.revision, s.state_id, s.flags, s.stored_bytes,
        s.plain_bytes, s.iv, s.feed_id, s.origin_number, s.pdt_us, s.arrived_us, s.first_pts, s.digest,
        s.measured_us, s.cue_tags
        """
    private static let betterColumns = """
        s.rendition_id, s.start_us, s.kept, s.duration_us, s.epoch, s.repair_revision, s.repair_state_id,
        s.repair_flags, s.repair_stored_bytes, s.repair_plain_bytes, s.repair_iv, s.feed_id, s.origin_number,
        s.pdt_us, s.arrived_us, s.first_pts, s.repair_digest, s.repair_measured_us, s.cue_tags
        """
}
