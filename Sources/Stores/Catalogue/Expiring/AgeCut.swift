import Postgres
package import Timeline

extension Catalogue {
    /// The present by the database's clock.
    package func databaseTime() async throws(CatalogueError) -> Instant {
        try await mappingErrors {
            let rows = try await pool.query(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us")
            guard let row = rows.first else { throw CatalogueError.unreadable("the database has no time") }
            return Instant(microseconds: try row.decode("now_us"))
        }
    }

    /// The last cut of each channel: nothing that begins before it is left, but for kept recordings.
    package func expiredBefore() async throws(CatalogueError) -> [Int32: Instant] {
        try await mappingErrors {
            let rows = try await pool.query("SELECT channel_id, forgotten_us FROM line")
            return Dictionary(
                try rows.map { (try $0.decode(0), Instant(microseconds: try $0.decode(1))) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// Limits a cut so that at most some microseconds of a channel's recording expire with it.
    package func limiting(
        _ cut: Instant, of channel: Int32, to microseconds: Int64,
    ) async throws(CatalogueError) -> Instant {
        try await mappingErrors {
            let rows = try await pool.query(.oldestQuarter(of: channel))
            guard let oldest = try rows.first?.decode("quarter_us", as: Int64?.self) else { return cut }
            return min(cut, Instant(microseconds: oldest) + microseconds)
        }
    }
}

extension Statement {
    /// The oldest quarter of a channel that can expire, or the previous cut within it, as `quarter_us`.
    ///
    /// What begins before the previous cut belongs to kept recordings.
    static func oldestQuarter(of channel: Int32) -> Statement {
        """
        SELECT min(greatest(oldest.quarter_us, l.forgotten_us)) AS quarter_us
        FROM rendition r JOIN line l USING (channel_id),
            LATERAL (SELECT quarter_us FROM block b WHERE b.rendition_id = r.rendition_id
                AND b.quarter_us > l.forgotten_us - \(Quarter.microseconds)
                ORDER BY quarter_us LIMIT 1) AS oldest
        WHERE r.channel_id = \(channel)
        """
    }
}
