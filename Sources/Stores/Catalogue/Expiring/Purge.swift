import Postgres
package import Timeline

extension Catalogue {
    /// Deletes a channel, and then everything recorded of it in one transaction, kept recordings too.
    ///
    /// Works for deleted channels as well. Deletes no recordings if the channel is created again in between.
    ///
    /// The channel's row stays, with settings that record and keep nothing, so segments that a recorder still
    /// commits expire as usual. Nothing can be inserted before the end of the purged recordings, so a channel
    /// that is created with the same id begins after them. Identities of segments stay too, because the
    /// source may still list them.
    ///
    /// Segments, initialization sections and keys stay in the archive during the grace period, for players
    /// that still need them.
    ///
    /// - Returns: the number of segments that were deleted from the catalogue
    @discardableResult
    package func purge(
        _ id: ChannelID, version: Int64? = nil, graceSeconds: Int,
    ) async throws(CatalogueError) -> Int {
        try await purge(
            id, version: version, graceSeconds: graceSeconds, formatStep: Limits.prunedPerStatement)
    }

    /// The same with a number of formats that one statement deletes.
    @discardableResult
    func purge(
        _ id: ChannelID, version: Int64? = nil, graceSeconds: Int, formatStep: Int64,
    ) async throws(CatalogueError) -> Int {
        try await mappingErrors {
            // It stays deleted if the process ends meanwhile: retention then deletes what is left.
            let channel = try await pool.transaction { transaction in
                let channel = try await Self.markDeleted(id, version: version, in: transaction)
                _ = try await transaction.query("SELECT pg_notify(\(Announcement.channel), \(id.text))")
                return channel
            }
            return try await pool.transaction { transaction in
                guard try await Self.isDeleted(channel, in: transaction) else { return 0 }
                let purging = Purging(
                    channel: channel, grace: graceSeconds, formatStep: formatStep, transaction: transaction)
                let (count, revision) = try await purging.run()
                try await transaction.announce(
                    PublishedHeadChange(channel: channel.row, revision: revision, touched: nil))
                return count
            }
        }
    }

    /// Whether a channel is still deleted, and not created again; locks its row against that.
    private static func isDeleted(
        _ channel: Channel, in transaction: PostgresTransaction,
    ) async throws -> Bool {
        try await !transaction.query(
            """
            SELECT FROM channel WHERE channel_id = \(channel.row) AND deleted_at IS NOT NULL
            \(verbatim: Self.rowLock)
            """
        ).isEmpty
    }
}

/// The purge of one channel within one transaction.
private struct Purging {
    let channel: Channel
    let grace: Int
    let formatStep: Int64
    let transaction: PostgresTransaction

    func run() async throws -> (segments: Int, revision: Int64) {
        let (cut, revision) = try await movePublishedHead()
        var segments = 0
        for day in try await days() { segments += try await dropSegments(of: day) }
        try await scheduleDeletion(before: cut)
        try await transaction.deleteFormats(of: channel.row, grace: grace, step: formatStep)
        try await dropOtherFacts()
        return (segments, revision)
    }

    /// Locks the channel, so that nothing is published, and moves the expiry cut past everything recorded.
    ///
    /// The lease ends: a recorder that still has it must begin from what is left.
    private func movePublishedHead() async throws -> (cut: Int64, revision: Int64) {
        let rows = try await transaction.query(
            """
            UPDATE line SET forgotten_us = greatest(forgotten_us, end_us, watermark_us,
                (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
                (SELECT max(end_us) FROM block JOIN rendition USING (rendition_id)
                    WHERE channel_id = \(channel.row))),
                revision = revision + 1, fence = fence + 1
            WHERE channel_id = \(channel.row) RETURNING forgotten_us, revision
            """)
        guard let row = rows.first else {
            throw CatalogueError.unreadable("channel \(channel.row) has no published head")
        }
        return (try row.decode("forgotten_us"), try row.decode("revision"))
    }

    /// The days with recordings; they are deleted one by one, because one statement for all could time out.
    private func days() async throws -> [Int64] {
        try await transaction.query(
            """
            SELECT DISTINCT quarter_us - quarter_us % \(Catalogue.dayMicroseconds) AS day
            FROM block JOIN rendition USING (rendition_id) WHERE channel_id = \(channel.row) ORDER BY 1
            """
        ).map { try $0.decode("day") }
    }

    /// Deletes the segments of a day and the sums of its quarters of an hour.
    private func dropSegments(of day: Int64) async throws -> Int {
        let rows = try await transaction.query(
            """
            WITH gone AS (
                DELETE FROM segment s USING rendition r
                WHERE r.channel_id = \(channel.row) AND s.rendition_id = r.rendition_id
                    AND s.start_us >= \(day) AND s.start_us < \(day + Catalogue.dayMicroseconds)
                RETURNING r.name, s.start_us),
            pending AS (
                INSERT INTO pending_deletion_hour (prefix, hour_us, not_before)
                SELECT DISTINCT \(channel.id.text) || '/' || name, start_us - start_us % \(Catalogue.hourMicroseconds),
                    now() + make_interval(secs => \(Double(grace)))
                FROM gone ON CONFLICT (prefix, hour_us) DO UPDATE SET not_before = excluded.not_before)
            SELECT count(*) AS segments FROM gone
            """)
        _ = try await transaction.query(
            """
            DELETE FROM block b USING rendition r WHERE r.channel_id = \(channel.row)
                AND b.rendition_id = r.rendition_id
                AND b.quarter_us >= \(day) AND b.quarter_us < \(day + Catalogue.dayMicroseconds)
            """)
        return try rows.first?.decode("segments", as: Int.self) ?? 0
    }

    /// Schedules the deletion of the hours at the cut: segments that are being recorded now will be refused
    /// by the catalogue, but their files would stay.
    private func scheduleDeletion(before cut: Int64) async throws {
        _ = try await transaction.query(
            """
            INSERT INTO pending_deletion_hour (prefix, hour_us, not_before)
            SELECT DISTINCT \(channel.id.text) || '/' || r.name, t.us - t.us % \(Catalogue.hourMicroseconds),
                now() + make_interval(secs => \(Double(grace)))
            FROM rendition r, unnest(\([cut - Catalogue.longestSegment, cut])) AS t(us)
            WHERE r.channel_id = \(channel.row)
            ON CONFLICT (prefix, hour_us) DO UPDATE SET not_before = excluded.not_before
            """)
    }

    /// The discontinuity sequence in effect at the cut stays, because a segment that is committed late may
    /// need it.
    private func dropOtherFacts() async throws {
        let row = channel.row
        _ = try await transaction.query("DELETE FROM loss WHERE channel_id = \(row)")
        _ = try await transaction.query("DELETE FROM marker WHERE channel_id = \(row)")
        _ = try await transaction.query("DELETE FROM recording_span WHERE channel_id = \(row)")
        _ = try await transaction.query("DELETE FROM recording WHERE channel_id = \(row)")
        _ = try await transaction.query(
            """
            DELETE FROM epoch WHERE channel_id = \(row)
                AND epoch < (SELECT max(epoch) FROM epoch WHERE channel_id = \(row))
            """)
    }
}
