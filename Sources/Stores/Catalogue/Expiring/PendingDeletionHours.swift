import Postgres
package import Timeline

/// An hour of a rendition whose segments are gone from the catalogue and whose files can be deleted.
package struct PendingDeletionHour: Sendable, Hashable {
    package var channel: ChannelID
    package var rendition: RenditionID
    package var hour: Instant
    /// The channel's expiry cut.
    ///
    /// A file that begins at or after it may belong to a segment that is not committed yet.
    package var before: Instant
    /// End of the grace period, microseconds since 1970.
    ///
    /// It changes if the hour is scheduled again, which tells the two apart.
    var notBefore: Int64

    fileprivate var prefix: String { "\(channel)/\(rendition)" }
}

extension Catalogue {
    static let hourMicroseconds: Int64 = 3_600_000_000
    /// SQL for the end of the grace period, microseconds since 1970.
    private static let notBefore = "(extract(epoch FROM not_before) * 1000000)::bigint"

    /// Returns at most `limit` hours whose grace period is over.
    ///
    /// `ahead` is how many microseconds the database's clock is ahead of the time from which ages are
    /// measured.
    package func pendingDeletionHours(
        limit: Int, ahead: Int64 = 0,
    ) async throws(CatalogueError) -> [PendingDeletionHour] {
        try await mappingErrors {
            try await pool.query(
                """
                SELECT prefix, hour_us, forgotten_us, \(verbatim: Self.notBefore) AS not_before_us
                FROM pending_deletion_hour
                JOIN channel ON slug = split_part(prefix, '/', 1) JOIN line USING (channel_id)
                WHERE not_before <= now() - make_interval(secs => \(Microseconds.seconds(ahead)))
                ORDER BY not_before LIMIT \(limit)
                """
            ).compactMap { row in
                let parts = try row.decode("prefix", as: String.self).split(separator: "/")
                guard parts.count == 2, let channel = ChannelID(String(parts[0])),
                    let rendition = RenditionID(String(parts[1]))
                else { return nil }
                return PendingDeletionHour(
                    channel: channel, rendition: rendition,
                    hour: Instant(microseconds: try row.decode("hour_us")),
                    before: Instant(microseconds: try row.decode("forgotten_us")),
                    notBefore: try row.decode("not_before_us"))
            }
        }
    }

    /// The file names of an hour that the catalogue still refers to: kept recordings, segments after the cut,
    /// and segments that are set aside.
    package func names(in hour: PendingDeletionHour) async throws(CatalogueError) -> Set<SegmentName> {
        try await names(
            of: hour.rendition, in: hour.channel,
            TimeWindow(begin: hour.hour, end: hour.hour + Self.hourMicroseconds))
    }

    /// Whether the catalogue refers to a file of a segment.
    package func refers(
        to name: SegmentName, of rendition: RenditionID, in channel: ChannelID,
    ) async throws(CatalogueError) -> Bool {
        let begin = Instant(milliseconds: name.startMilliseconds)
        return try await names(of: rendition, in: channel, TimeWindow(begin: begin, end: begin + 1_000))
            .contains(name)
    }

    /// The file names of segments that begin in a window.
    private func names(
        of rendition: RenditionID, in channel: ChannelID, _ window: TimeWindow,
    ) async throws(CatalogueError) -> Set<SegmentName> {
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT s.start_us, s.revision, st.container
                FROM rendition r JOIN channel c USING (channel_id), LATERAL (
                    SELECT s.start_us, s.revision, s.state_id FROM segment s
                    WHERE s.rendition_id = r.rendition_id AND s.start_us >= \(begin) AND s.start_us < \(end)
                    UNION ALL SELECT s.start_us, s.repair_revision, s.repair_state_id FROM segment s
                    WHERE s.rendition_id = r.rendition_id AND s.start_us >= \(begin) AND s.start_us < \(end)
                        AND s.repair_revision IS NOT NULL
                    UNION ALL SELECT a.start_us, a.revision, a.state_id FROM set_aside a
                    WHERE a.rendition_id = r.rendition_id AND a.start_us >= \(begin) AND a.start_us < \(end)) AS s
                    JOIN state st USING (state_id)
                WHERE c.slug = \(channel.text) AND r.name = \(rendition.description)
                """)
            return Set(try rows.compactMap { try SegmentName(from: $0) })
        }
    }

    /// Ends the grace period of at most `limit` hours, the earliest first; those that could not be deleted
    /// before are last.
    ///
    /// - Returns: the number of hours
    package func expediteDeletions(limit: Int) async throws(CatalogueError) -> Int {
        try await mappingErrors {
            try await pool.query(
                """
                UPDATE pending_deletion_hour d SET not_before = now() FROM (
                    SELECT prefix, hour_us FROM pending_deletion_hour WHERE not_before > now()
                    ORDER BY failed, not_before, hour_us LIMIT \(limit)) AS next
                WHERE d.prefix = next.prefix AND d.hour_us = next.hour_us
                """
            ).affectedRows
        }
    }

    /// Delays the deletion of an hour that could not be deleted, counted from now.
    package func postpone(_ hour: PendingDeletionHour, seconds: Int) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                UPDATE pending_deletion_hour
                SET not_before = now() + make_interval(secs => \(Double(seconds))), failed = true
                WHERE prefix = \(hour.prefix) AND hour_us = \(hour.hour.microseconds)
                """)
        }
    }

    /// Removes an hour whose files have been deleted, unless it was scheduled again in the meantime.
    package func completeDeletion(_ hour: PendingDeletionHour) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                DELETE FROM pending_deletion_hour
                WHERE prefix = \(hour.prefix) AND hour_us = \(hour.hour.microseconds)
                    AND \(verbatim: Self.notBefore) = \(hour.notBefore)
                """)
        }
    }
}

extension SegmentName {
    /// Reads the start, the revision and the container of a segment; nil for an unknown container.
    init?(from row: Row) throws {
        guard let container = SegmentExtension(rawValue: try row.decode("container")) else { return nil }
        self.init(
            start: Instant(microseconds: try row.decode("start_us")), revision: try row.decode("revision"),
            fileExtension: container)
    }
}
