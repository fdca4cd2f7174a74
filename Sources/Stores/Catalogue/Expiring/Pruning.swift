import Postgres

extension Catalogue {
    /// Deletes identities that sources no longer list; the newest of each source run stays.
    package func pruneIntake() async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                DELETE FROM intake i WHERE seen_at < now() - make_interval(hours => \(Int32(Limits.intakeHours)))
                    AND origin_number < (SELECT max(n.origin_number) FROM intake n
                        WHERE n.rendition_id = i.rendition_id AND n.feed_id = i.feed_id)
                """)
        }
    }

    /// Deletes source runs whose segments have all expired, together with their identities.
    ///
    /// A recorder resumes from the two newest source runs of each rendition, so these stay, and so does the
    /// channel's newest one. The newest identity of a source run, which `pruneIntake` keeps, tells how far it
    /// reached.
    package func pruneSourceRuns() async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                WITH part AS (
                    SELECT f.feed_id, f.channel_id, f.began_us, l.forgotten_us, r.rendition_id, newest.end_us,
                        newest.end_us IS NULL OR (SELECT count(*) = 2 FROM (
                            SELECT FROM feed n WHERE n.channel_id = f.channel_id AND n.feed_id > f.feed_id
                                AND EXISTS (SELECT FROM intake i
                                    WHERE i.rendition_id = r.rendition_id AND i.feed_id = n.feed_id)
                            LIMIT 2) AS newer) AS passed,
                        EXISTS (SELECT FROM segment_kept k WHERE k.rendition_id = r.rendition_id
                            AND k.feed_id = f.feed_id) AS kept
                    FROM feed f JOIN line l USING (channel_id) LEFT JOIN rendition r USING (channel_id)
                        LEFT JOIN LATERAL (SELECT i.start_us + i.duration_us AS end_us FROM intake i
                            WHERE i.rendition_id = r.rendition_id AND i.feed_id = f.feed_id
                            ORDER BY i.origin_number DESC LIMIT 1) AS newest ON true
                    WHERE f.began_us < l.forgotten_us AND EXISTS (
                        SELECT FROM feed n WHERE n.channel_id = f.channel_id AND n.feed_id > f.feed_id)),
                gone AS (
                    DELETE FROM feed USING (
                        SELECT feed_id FROM part GROUP BY feed_id, forgotten_us
                        HAVING bool_and(passed) AND NOT bool_or(kept)
                            AND coalesce(max(end_us), min(began_us)) <= forgotten_us) AS past
                    WHERE feed.feed_id = past.feed_id RETURNING feed.feed_id, feed.channel_id)
                DELETE FROM intake i USING gone, rendition r
                WHERE r.channel_id = gone.channel_id AND i.rendition_id = r.rendition_id AND i.feed_id = gone.feed_id
                """)
        }
    }
}
