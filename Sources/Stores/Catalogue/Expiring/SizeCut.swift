import Postgres
package import Timeline

/// The oldest quarter that has not expired, and its channel; the settings of that may be unreadable.
package struct OldestQuarter: Sendable {
    package var channel: ChannelID
    package var row: Int32
    package var end: Instant
}

extension Catalogue {
    /// Finds the cut that leaves at most `limit` bytes of a channel; nil if it holds less.
    ///
    /// Kept recordings do not count. The cut lies between two segments, so that a limit of less than a
    /// quarter of an hour does not delete the current quarter.
    package func cut(of channel: Int32, keepingBytes limit: Int64) async throws(CatalogueError) -> Instant? {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                WITH quarter AS (
                    SELECT b.quarter_us, sum(b.bytes) AS bytes
                    FROM line l JOIN rendition r USING (channel_id) JOIN block b USING (rendition_id)
                    WHERE l.channel_id = \(channel) AND b.quarter_us > l.forgotten_us - \(Quarter.microseconds)
                    GROUP BY b.quarter_us),
                held AS (
                    SELECT quarter_us, (sum(bytes) OVER (ORDER BY quarter_us DESC))::bigint AS bytes,
                        bytes::bigint AS own FROM quarter)
                SELECT quarter_us, \(limit) - (bytes - own) AS rest FROM held WHERE bytes > \(limit)
                ORDER BY quarter_us DESC LIMIT 1
                """)
            guard let row = rows.first else { return nil }
            return try await cut(
                of: channel, in: try row.decode("quarter_us"), keepingBytes: try row.decode("rest"))
        }
    }

    /// The cut within one quarter that leaves at most `rest` bytes of it.
    private func cut(of channel: Int32, in quarter: Int64, keepingBytes rest: Int64) async throws -> Instant?
    {
        let rows = try await pool.query(
            """
            WITH entry AS (
                SELECT s.start_us, s.start_us + s.duration_us AS end_us,
                    sum(s.stored_bytes::bigint + coalesce(s.repair_stored_bytes, 0))
                        OVER (ORDER BY s.start_us DESC) AS bytes
                FROM rendition r JOIN segment s USING (rendition_id)
                WHERE r.channel_id = \(channel) AND NOT s.kept
                    AND s.start_us >= \(quarter) AND s.start_us < \(quarter + Quarter.microseconds))
            SELECT min(start_us) FILTER (WHERE bytes <= \(rest)) AS fits, max(start_us) + 1 AS beyond FROM entry
            """)
        guard let row = rows.first else { return nil }
        let cut = try row.decode("fits", as: Int64?.self) ?? row.decode("beyond", as: Int64?.self)
        return cut.map(Instant.init(microseconds:))
    }

    /// Returns the oldest quarter of all channels that has not expired and is finished.
    ///
    /// It is if the channel's timeline has passed it, or the host's clock `now` has: a host without a battery
    /// starts its clock at 1970. The channels `stuck` are passed over, and one whose id this program cannot
    /// read.
    package func oldestQuarter(
        finishedBy now: Instant, passingOver stuck: Set<ChannelID> = [],
    ) async throws(CatalogueError) -> OldestQuarter? {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT c.slug, c.channel_id, min(oldest.quarter_us) AS quarter_us, max(l.end_us) AS line_end_us
                FROM channel c JOIN line l USING (channel_id) JOIN rendition r USING (channel_id),
                    LATERAL (SELECT b.quarter_us FROM block b WHERE b.rendition_id = r.rendition_id
                        AND b.quarter_us > l.forgotten_us - \(Quarter.microseconds)
                        ORDER BY b.quarter_us LIMIT 1) AS oldest
                GROUP BY c.channel_id ORDER BY 3
                """)
            for row in rows {
                guard let id = ChannelID(try row.decode("slug", as: String.self)), !stuck.contains(id)
                else { continue }
                let end = Instant(microseconds: try row.decode("quarter_us")) + Quarter.microseconds
                let lineEnd = Instant(microseconds: try row.decode("line_end_us"))
                guard end < max(now, lineEnd) else { continue }
                return OldestQuarter(channel: id, row: try row.decode("channel_id"), end: end)
            }
            return nil
        }
    }
}
