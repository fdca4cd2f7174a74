import Postgres
package import Timeline

extension Catalogue {
    /// Names some files that the archive should have.
    ///
    /// For each of `count` equal parts it chooses a rendition that holds something, at random, and names the
    /// first segment from the begin of that part of the rendition's time on.
    ///
    /// - Returns: at most `count` files, some more than once
    package func archiveSample(count: Int) async throws(CatalogueError) -> [ArchiveKey] {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                WITH holding AS MATERIALIZED (
                    SELECT c.slug, r.name, r.rendition_id, oldest.begin_us, newest.end_us
                    FROM rendition r JOIN channel c USING (channel_id) JOIN line l USING (channel_id),
                        LATERAL (SELECT greatest(l.forgotten_us, b.begin_us) AS begin_us FROM block b
                            WHERE b.rendition_id = r.rendition_id
                                AND b.quarter_us > l.forgotten_us - \(Quarter.microseconds)
                            ORDER BY b.quarter_us LIMIT 1) AS oldest,
                        LATERAL (SELECT b.end_us FROM block b WHERE b.rendition_id = r.rendition_id
                            ORDER BY b.quarter_us DESC LIMIT 1) AS newest)
                SELECT r.slug, r.name, s.start_us, s.revision, st.container
                FROM generate_series(0, \(count - 1)) AS part,
                    LATERAL (SELECT h.* FROM holding h WHERE part >= 0 ORDER BY random() LIMIT 1) AS r,
                    LATERAL (SELECT s.start_us, s.revision, s.state_id FROM segment s
                        WHERE s.rendition_id = r.rendition_id AND s.start_us >=
                            r.begin_us + (r.end_us - r.begin_us) / \(count) * part
                        ORDER BY s.start_us LIMIT 1) AS s
                    JOIN state st USING (state_id)
                """)
            return try rows.compactMap { row in
                guard let channel = ChannelID(try row.decode("slug", as: String.self)),
                    let rendition = RenditionID(try row.decode("name", as: String.self)),
                    let name = try SegmentName(from: row)
                else { return nil }
                return .segment(channel, rendition, name)
            }
        }
    }
}
