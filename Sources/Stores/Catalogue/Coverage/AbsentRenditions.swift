import Postgres
package import Timeline

extension Catalogue {
    /// The time of a window for which renditions that hold nothing in it should have media, in one query.
    ///
    /// A rendition should have media from its first to its last segment, and where a loss names it: outside
    /// of that the source did not have the rendition. Renditions that lack nothing are left out.
    package func missingTime(
        of renditions: [RenditionID], of channel: Int32, in window: TimeWindow,
    ) async throws(CatalogueError) -> [RenditionID: WindowSet] {
        guard !renditions.isEmpty, !window.isEmpty else { return [:] }
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT name, t.begin_us, t.end_us FROM rendition r CROSS JOIN LATERAL (
                    SELECT first.begin_us, last.end_us FROM
                        (SELECT begin_us FROM block b WHERE b.rendition_id = r.rendition_id
                            ORDER BY quarter_us LIMIT 1) AS first,
                        (SELECT end_us FROM block b WHERE b.rendition_id = r.rendition_id
                            ORDER BY quarter_us DESC LIMIT 1) AS last
                    UNION ALL SELECT l.begin_us, l.end_us FROM loss l
                    WHERE l.channel_id = r.channel_id AND l.rendition_id = r.rendition_id
                        AND l.begin_us < \(end) AND l.end_us > \(begin)) AS t
                WHERE r.channel_id = \(channel) AND name = ANY(\(renditions.map(\.description)))
                    AND t.begin_us < \(end) AND t.end_us > \(begin)
                """)
            var windows: [RenditionID: [TimeWindow]] = [:]
            for row in rows {
                guard let id = RenditionID(try row.decode("name", as: String.self)) else { continue }
                windows[id, default: []].append(try Self.window(from: row).clamped(to: window))
            }
            return windows.mapValues { WindowSet($0) }.filter { $0.value.microseconds > 0 }
        }
    }
}
