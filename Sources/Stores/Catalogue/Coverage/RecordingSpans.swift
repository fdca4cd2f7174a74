import Postgres
package import Timeline

extension Catalogue {
    /// Starts a span in which the channel is set to record.
    ///
    /// Does nothing if such a span is open.
    package func beginRecording(channel: Int32, at now: Instant) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                INSERT INTO recording_span (channel_id, begin_us)
                SELECT \(channel), \(now.microseconds) WHERE NOT EXISTS (
                    SELECT FROM recording_span WHERE channel_id = \(channel) AND end_us IS NULL)
                ON CONFLICT (channel_id, begin_us) DO UPDATE SET end_us = NULL
                """)
        }
    }

    /// Starts a span for a channel that is set to record again, if a living node has its lease: the recorder
    /// there has not noticed that the channel was not to record for a moment.
    ///
    /// Does nothing if a span is open.
    package func resumeRecording(channel: Int32, at now: Instant) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                INSERT INTO recording_span (channel_id, begin_us)
                SELECT channel_id, \(now.microseconds) FROM line JOIN node USING (node_id)
                WHERE channel_id = \(channel) AND expires_at > now() AND NOT EXISTS (
                    SELECT FROM recording_span WHERE channel_id = \(channel) AND end_us IS NULL)
                ON CONFLICT (channel_id, begin_us) DO UPDATE SET end_us = NULL
                """)
        }
    }

    /// Ends the current recording span; what is missing after it is not a gap.
    ///
    /// Does nothing if the channel is set to record by now: the caller may have read its settings long ago,
    /// and the span is that of the node that records.
    ///
    /// It ends at the live edge, because later media was not listed yet. If nothing has come for
    /// three target durations, the gap that has grown by now belongs to it.
    package func endRecording(channel: Int32, at now: Instant) async throws(CatalogueError) {
        guard try await isSpanOpen(channel) else { return }
        let head = try await publishedHead(of: channel)
        try await mappingErrors {
            let growing = try await growingGap(of: channel, head, now: now)
            let edge = head.watermark.microseconds > 0 ? head.watermark : now
            let end = min(growing?.end ?? edge, now)
            _ = try await pool.query(
                """
                UPDATE recording_span SET end_us = greatest(begin_us, \(end.microseconds))
                WHERE channel_id = \(channel) AND end_us IS NULL AND EXISTS (
                    SELECT FROM channel c WHERE c.channel_id = \(channel)
                        AND (c.deleted_at IS NOT NULL OR c.settings -> 'recording' = 'false'))
                """)
        }
    }

    /// Whether a span has not ended.
    ///
    /// A recorder that starts ends those of all channels that are not recorded: hardly any is open.
    private func isSpanOpen(_ channel: Int32) async throws(CatalogueError) -> Bool {
        try await mappingErrors {
            let open = try await pool.query(
                "SELECT begin_us FROM recording_span WHERE channel_id = \(channel) AND end_us IS NULL")
            return !open.isEmpty
        }
    }
}
