import Postgres
package import Timeline

extension Catalogue {
    /// The first instant at or after another at which any rendition of a channel holds something; nil if
    /// there is none.
    package func firstRecorded(
        of channel: Int32, from begin: Instant,
    ) async throws(CatalogueError) -> Instant? {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT r.rendition_id, first.begin_us, first.end_us FROM rendition r CROSS JOIN LATERAL (
                    SELECT begin_us, end_us FROM block b WHERE b.rendition_id = r.rendition_id
                        AND quarter_us > \((begin - (Quarter.microseconds + Self.longestSegment)).microseconds)
                        AND end_us > \(begin.microseconds)
                    ORDER BY quarter_us LIMIT 1) AS first
                WHERE r.channel_id = \(channel)
                """)
            var earliest: Instant?
            for row in rows {
                let quarter = try Self.window(from: row)
                var found = quarter.begin
                if found < begin {
                    let rest = TimeWindow(begin: begin, end: quarter.end)
                    let spans = try await spans(of: try row.decode("rendition_id"), in: rest)
                    found = spans.first?.window.begin ?? quarter.end
                }
                earliest = min(earliest ?? found, found)
            }
            return earliest
        }
    }
}
