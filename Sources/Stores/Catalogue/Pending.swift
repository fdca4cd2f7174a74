import Postgres
package import Timeline

extension Catalogue {
    /// When segments are that are listed or wait for their key and are not in the archive yet, newest first.
    package func pendingSegments(of channel: Int32, limit: Int) async throws(CatalogueError) -> [TimeWindow] {
        try await asking {
            try await pool.query(
                """
                SELECT start_us, duration_us::bigint AS duration_us FROM intake JOIN rendition USING (rendition_id)
                WHERE channel_id = \(channel) AND state IN ('listed', 'key_pending')
                ORDER BY start_us DESC LIMIT \(limit)
                """
            ).map { row in
                let begin = Instant(microseconds: try row.decode("start_us"))
                return TimeWindow(begin: begin, end: begin + (try row.decode("duration_us", as: Int64.self)))
            }
        }
    }
}
