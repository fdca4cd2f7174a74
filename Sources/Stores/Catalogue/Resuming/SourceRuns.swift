import Postgres
package import Timeline

extension Catalogue {
    /// The feed of a channel that began last; nil when none ever did.
    ///
    /// Ids go in the order of beginning, whatever the host's clock said.
    package func newestSourceRun(of channel: Int32) async throws(CatalogueError) -> SourceRun? {
        try await asking {
            try await pool.query(
                """
                SELECT feed_id, source, began_us, clock FROM feed WHERE channel_id = \(channel)
                ORDER BY feed_id DESC LIMIT 1
                """
            ).first.map { row in
                SourceRun(
                    id: try row.decode("feed_id"), source: try row.decode("source"),
                    began: Instant(microseconds: try row.decode("began_us")), clock: try row.decode("clock"))
            }
        }
    }
}
