import Postgres
import Timeline

/// Losses and segments that are not in the archive.
extension BatchWriter {
    /// Stores losses.
    ///
    /// Two losses are the same if channel, rendition, begin and reason are equal: one that still grows has
    /// one row, which the longest determines. Losses that end before the expiry cut are skipped.
    func enterLosses(_ renditions: [RenditionID: Int32], expiredBefore: Instant) async throws {
        let losses = batch.losses.filter { $0.window.end > expiredBefore && !$0.window.isEmpty }
        guard !losses.isEmpty else { return }
        let rows: [Int32?] = losses.map { $0.rendition.flatMap { renditions[$0] } }
        _ = try await transaction.query(
            """
            WITH news AS (
                SELECT DISTINCT ON (t.rendition_id, t.begin_us, t.reason) t.*
                FROM unnest(\(rows), \(losses.map(\.window.begin.microseconds)), \(losses.map(\.window.end.microseconds)),
                    \(losses.map(\.reason.rawValue)), \(losses.map(\.note))) AS t(rendition_id, begin_us, end_us, reason, note)
                ORDER BY t.rendition_id, t.begin_us, t.reason, t.end_us DESC),
            longer AS (
                UPDATE loss SET end_us = news.end_us FROM news
                WHERE loss.channel_id = \(batch.channel) AND loss.begin_us = news.begin_us
                    AND loss.reason = news.reason AND loss.end_us < news.end_us
                    AND loss.rendition_id IS NOT DISTINCT FROM news.rendition_id)
            INSERT INTO loss (channel_id, rendition_id, begin_us, end_us, reason, note)
            SELECT \(batch.channel), news.rendition_id, news.begin_us, news.end_us, news.reason, news.note
            FROM news WHERE NOT EXISTS (
                SELECT FROM loss WHERE loss.channel_id = \(batch.channel) AND loss.begin_us = news.begin_us
                    AND loss.reason = news.reason AND loss.rendition_id IS NOT DISTINCT FROM news.rendition_id)
            """)
    }

    /// A segment that is still to be fetched is pending, unless more is known of it.
    func markListed(_ renditions: [RenditionID: Int32]) async throws {
        try await mark(batch.listed, as: "listed", renditions)
    }

    func markKeyPending(_ renditions: [RenditionID: Int32]) async throws {
        let places = batch.keyPending.map {
            $0.placed
        }
        try await mark(places, as: "key_pending", renditions)
    }

    func markLost(_ renditions: [RenditionID: Int32]) async throws {
        try await mark(batch.lost, as: "lost", renditions)
    }

    /// Marks identities in `intake`; a stored segment stays stored, a lost one lost, and one that waits for
    /// its key does not become listed again.
    private func mark(
        _ segments: [PlacedSegment], as state: String, _ renditions: [RenditionID: Int32],
    ) async throws {
        let marked = segments.filter { renditions[$0.identity.rendition] != nil }
        guard !marked.isEmpty else { return }
        _ = try await transaction.query(
            """
            INSERT INTO intake (rendition_id, feed_id, origin_number, start_us, duration_us, state)
            SELECT DISTINCT ON (rendition_id, feed_id, origin_number) *, \(state)
            FROM unnest(\(marked.compactMap { renditions[$0.identity.rendition] }),
                \(marked.map(\.identity.run)), \(marked.map(\.identity.number)),
                \(marked.map(\.start.microseconds)), \(marked.map { Int32(clamping: $0.duration) }))
                AS t(rendition_id, feed_id, origin_number, start_us, duration_us)
            ON CONFLICT (rendition_id, feed_id, origin_number) DO UPDATE
                SET state = excluded.state, seen_at = now()
                WHERE intake.state IN ('listed', 'key_pending') AND excluded.state <> 'listed'
            """)
    }
}
