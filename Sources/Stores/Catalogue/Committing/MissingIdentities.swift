import Postgres
package import Timeline

extension Catalogue {
    /// The identities that the catalogue does not have, of segments of a channel that have not expired.
    ///
    /// `starts` are the segments' starts.
    package func missing(
        _ identities: [SegmentIdentity], starts: [Instant], in channel: Int32,
    ) async throws(CatalogueError) -> Set<SegmentIdentity> {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT t.name, t.run, t.number FROM line l, unnest(\(identities.map(\.rendition.description)),
                    \(identities.map(\.run)), \(identities.map(\.number)), \(starts.map(\.microseconds)))
                    AS t(name, run, number, start_us)
                WHERE l.channel_id = \(channel) AND t.start_us >= l.forgotten_us AND NOT EXISTS (
                    SELECT FROM rendition r JOIN intake i USING (rendition_id)
                    WHERE r.channel_id = \(channel) AND r.name = t.name AND i.feed_id = t.run
                        AND i.origin_number = t.number)
                    AND NOT EXISTS (SELECT FROM rendition r JOIN set_aside a USING (rendition_id)
                    WHERE r.channel_id = \(channel) AND r.name = t.name AND a.start_us = t.start_us
                        AND a.feed_id = t.run AND a.origin_number = t.number)
                """)
            var missing: Set<SegmentIdentity> = []
            for row in rows {
                guard let rendition = RenditionID(try row.decode("name", as: String.self)) else { continue }
                missing.insert(
                    SegmentIdentity(
                        rendition: rendition, run: try row.decode("run"), number: try row.decode("number")))
            }
            return missing
        }
    }
}
