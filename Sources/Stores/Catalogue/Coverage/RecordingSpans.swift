import Postgres
package import Timeline

extension Catalogue {
    /// From now on the channel is meant to be recorded.
    ///
    /// An open span goes on.
    package func beginRecording(channel: Int32, at now: Instant) async throws(CatalogueError) {
        try await asking {
            _ = try await pool.query(
                """
                INSERT INTO recording_span (channel_id, begin_us)
                SELECT \(channel), \(now.microseconds) WHERE NOT EXISTS (
                    SELECT FROM recording_span WHERE channel_id = \(channel) AND end_us IS NULL)
                ON CONFLICT (channel_id, begin_us) DO UPDATE SET end_us = NULL
                """)
        }
    }

    /// From now on the channel is not meant to be recorded; what is missing later is no gap.
    package func endRecording(channel: Int32, at now: Instant) async throws(CatalogueError) {
        try await asking {
            _ = try await pool.query(
                """
                UPDATE recording_span SET end_us = greatest(begin_us, \(now.microseconds))
                WHERE channel_id = \(channel) AND end_us IS NULL
                """)
        }
    }
}
