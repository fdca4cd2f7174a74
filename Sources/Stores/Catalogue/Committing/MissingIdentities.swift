import Postgres
package import Timeline

extension Catalogue {
    /// The identities of stored, unexpired segments that the catalogue does not have.
    ///
    /// Takes one statement. `segments` and the result are by the channel's row id; channels that lack nothing
    /// are left out. A segment whose identity was deleted after two days is not missing; one that a restored
    /// catalogue has as still to be fetched, or as waiting for its key, is.
    package func missing(
        _ segments: [Int32: [PlacedSegment]],
    ) async throws(CatalogueError) -> [Int32: Set<SegmentIdentity>] {
        let asked = segments.flatMap { channel, segments in
            segments.map { (channel: channel, segment: $0) }
        }
        guard !asked.isEmpty else { return [:] }
        let starts = asked.map(\.segment.start.microseconds)
        let days = DayRange(from: starts.min() ?? 0, to: starts.max() ?? 0)
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT t.channel_id, t.name, t.run, t.number FROM unnest(\(asked.map(\.channel)),
                    \(asked.map(\.segment.identity.rendition.description)), \(asked.map(\.segment.identity.run)),
                    \(asked.map(\.segment.identity.number)), \(starts))
                    AS t(channel_id, name, run, number, start_us) JOIN line l USING (channel_id)
                    LEFT JOIN rendition r ON r.channel_id = t.channel_id AND r.name = t.name
                    LEFT JOIN LATERAL (SELECT true AS held FROM intake i
                        WHERE i.rendition_id = r.rendition_id AND i.feed_id = t.run AND i.origin_number = t.number
                            AND i.state NOT IN ('listed', 'key_pending')
                        LIMIT 1) AS i ON true
                    LEFT JOIN LATERAL (SELECT true AS held FROM segment s
                        WHERE i.held IS NULL AND s.rendition_id = r.rendition_id AND s.start_us = t.start_us
                            AND s.feed_id = t.run AND s.origin_number = t.number
                            AND s.start_us >= \(number: days.begin) AND s.start_us < \(number: days.end)
                        LIMIT 1) AS s ON true
                    LEFT JOIN LATERAL (SELECT true AS held FROM set_aside a
                        WHERE i.held IS NULL AND a.rendition_id = r.rendition_id AND a.start_us = t.start_us
                            AND a.feed_id = t.run AND a.origin_number = t.number
                        LIMIT 1) AS a ON true
                WHERE t.start_us >= l.forgotten_us AND coalesce(i.held, s.held, a.held) IS NULL
                """)
            var missing: [Int32: Set<SegmentIdentity>] = [:]
            for row in rows {
                guard let rendition = RenditionID(try row.decode("name", as: String.self)) else { continue }
                missing[try row.decode("channel_id"), default: []].insert(
                    SegmentIdentity(
                        rendition: rendition, run: try row.decode("run"), number: try row.decode("number")))
            }
            return missing
        }
    }
}
