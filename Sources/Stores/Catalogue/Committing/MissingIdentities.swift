import Postgres
package import Timeline

extension Catalogue {
    /// The identities that the catalogue does not have, of segments of channels that have not expired.
    ///
    /// `facts` are by the channel's row, and so is the result, without channels of which nothing is
    /// missing.
    package func missing(
        _ facts: [Int32: [SegmentFact]],
    ) async throws(CatalogueError) -> [Int32: Set<SegmentIdentity>] {
        let asked = facts.flatMap { channel, facts in facts.map { (channel: channel, fact: $0) } }
        guard !asked.isEmpty else { return [:] }
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT t.channel_id, t.name, t.run, t.number FROM unnest(\(asked.map(\.channel)),
                    \(asked.map(\.fact.identity.rendition.description)), \(asked.map(\.fact.identity.run)),
                    \(asked.map(\.fact.identity.number)), \(asked.map(\.fact.start.microseconds)))
                    AS t(channel_id, name, run, number, start_us) JOIN line l USING (channel_id)
                WHERE t.start_us >= l.forgotten_us AND NOT EXISTS (
                    SELECT FROM rendition r JOIN intake i USING (rendition_id)
                    WHERE r.channel_id = t.channel_id AND r.name = t.name AND i.feed_id = t.run
                        AND i.origin_number = t.number)
                    AND NOT EXISTS (SELECT FROM rendition r JOIN set_aside a USING (rendition_id)
                    WHERE r.channel_id = t.channel_id AND r.name = t.name AND a.start_us = t.start_us
                        AND a.feed_id = t.run AND a.origin_number = t.number)
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
