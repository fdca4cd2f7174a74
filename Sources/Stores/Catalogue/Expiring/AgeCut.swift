import Postgres
package import Timeline

extension Catalogue {
    /// Now, by the database's clock.
    package func databaseTime() async throws(CatalogueError) -> Instant {
        try await mappingErrors {
            let rows = try await pool.query(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us")
            guard let row = rows.first else { throw CatalogueError.unreadable("the database has no time") }
            return Instant(microseconds: try row.decode("now_us"))
        }
    }

    /// What was recorded before an instant.
    package func recorded(before instant: Instant) async throws(CatalogueError) -> RecordedBefore {
        try await mappingErrors {
            let quarter = instant.microseconds - Quarter.microseconds
            let rows = try await pool.query(
                """
                SELECT (SELECT max(end_us) FROM line WHERE end_us > 0 AND end_us <= \(instant.microseconds)) AS end_us,
                    EXISTS (SELECT FROM block WHERE quarter_us <= \(quarter)) AS has_older
                """)
            guard let row = rows.first else { return .nothing }
            if let end = try row.decode("end_us", as: Int64?.self) {
                return .until(Instant(microseconds: end))
            }
            return try row.decode("has_older") ? .unknown : .nothing
        }
    }

    /// Where the recording of each channel begins, by its row.
    ///
    /// One statement for all channels: most have nothing to expire in most rounds.
    package func oldest() async throws(CatalogueError) -> [Int32: OldestOfChannel] {
        try await mappingErrors {
            let rows = try await pool.query(.oldest(of: nil))
            return Dictionary(
                try rows.map { (try $0.decode("channel_id"), try OldestOfChannel($0)) },
                uniquingKeysWith: { first, _ in first })
        }
    }
}

/// Where a channel's recording begins.
package struct OldestOfChannel: Sendable {
    /// The last cut: nothing that begins before it is left, but for kept recordings.
    package var cut: Instant
    /// The oldest quarter that can expire, or the last cut within it; nil without any.
    ///
    /// What begins before the last cut belongs to kept recordings.
    package var quarter: Instant?

    init(_ row: Row) throws {
        cut = Instant(microseconds: try row.decode("forgotten_us"))
        quarter = try row.decode("quarter_us", as: Int64?.self).map(Instant.init(microseconds:))
    }
}

extension Statement {
    /// Rows of `OldestOfChannel`: of one channel, or of all.
    static func oldest(of channel: Int32?) -> Statement {
        """
        SELECT l.channel_id, l.forgotten_us, min(greatest(oldest.quarter_us, l.forgotten_us))
            FILTER (WHERE oldest.quarter_us IS NOT NULL) AS quarter_us
        FROM line l LEFT JOIN rendition r USING (channel_id)
            LEFT JOIN LATERAL (SELECT quarter_us FROM block b WHERE b.rendition_id = r.rendition_id
                AND b.quarter_us > l.forgotten_us - \(Quarter.microseconds)
                ORDER BY quarter_us LIMIT 1) AS oldest ON true
        WHERE \(channel)::int IS NULL OR l.channel_id = \(channel) GROUP BY l.channel_id, l.forgotten_us
        """
    }
}

/// How far recordings reached before an instant.
package enum RecordedBefore: Sendable, Equatable {
    case nothing
    /// The newest end of a channel's recording.
    case until(Instant)
    /// There are older recordings, but every channel has recorded past the instant since.
    case unknown
}
