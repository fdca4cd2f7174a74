import Foundation
import Postgres
import Timeline

/// What segments refer to: renditions, feeds, epochs; and what is known not to come.
extension BatchWriter {
    /// Enters the renditions described, and those that are only mentioned: a fact that a journal brings back
    /// must find its rendition.
    ///
    /// A former owner's description does not replace the present one's.
    func describeRenditions(held: Bool) async throws {
        let mentioned =
            batch.segments.map(\.fact.identity.rendition) + batch.lost.map(\.identity.rendition)
            + batch.keyPending.map(\.identity.rendition) + batch.losses.compactMap(\.rendition)
        let described = Set(batch.renditions.map(\.id))
        for description in batch.renditions { try await enter(description, replacing: held) }
        let known = try await renditionRows()
        for id in Set(mentioned).subtracting(described).sorted() where known[id] == nil {
            try await enter(RenditionDescription(id: id, position: id.index), replacing: false)
        }
    }

    private func enter(_ rendition: RenditionDescription, replacing: Bool) async throws {
        let match = String(decoding: try JSONEncoder().encode(rendition), as: UTF8.self)
        _ = try await transaction.query(
            """
            INSERT INTO rendition AS r (channel_id, name, kind, match)
            VALUES (\(batch.channel), \(rendition.id.description), \(rendition.id.kind.rawValue), \(match)::jsonb)
            ON CONFLICT (channel_id, name) DO UPDATE SET match = excluded.match
                WHERE \(replacing) AND r.match <> excluded.match
            """)
    }

    func renditionRows() async throws -> [RenditionID: Int32] {
        var found: [RenditionID: Int32] = [:]
        let rows = try await transaction.query(
            "SELECT rendition_id, name FROM rendition WHERE channel_id = \(batch.channel)")
        for row in rows {
            guard let id = RenditionID(try row.decode("name", as: String.self)) else { continue }
            found[id] = try row.decode("rendition_id", as: Int32.self)
        }
        return found
    }

    func enterSourceRuns() async throws {
        guard !batch.sourceRuns.isEmpty else { return }
        let runs = batch.sourceRuns
        _ = try await transaction.query(
            """
            INSERT INTO feed (feed_id, channel_id, source, began_us, clock)
            SELECT id, \(batch.channel), source, began, clock
            FROM unnest(\(runs.map(\.id)), \(runs.map(\.source)), \(runs.map(\.began.microseconds)),
                \(runs.map(\.clock))) AS t(id, source, began, clock)
            ON CONFLICT DO NOTHING
            """)
    }

    func enterDiscontinuityStarts() async throws {
        guard !batch.discontinuityStarts.isEmpty else { return }
        let starts = batch.discontinuityStarts
        _ = try await transaction.query(
            """
            INSERT INTO epoch (channel_id, epoch, begin_us, cause, target_seconds)
            SELECT \(batch.channel), epoch, begin_us, cause, target
            FROM unnest(\(starts.map(\.sequence)), \(starts.map(\.begin.microseconds)), \(starts.map(\.cause)),
                \(starts.map { Int32(clamping: $0.targetSeconds) })) AS t(epoch, begin_us, cause, target)
            ON CONFLICT DO NOTHING
            """)
    }

    /// A loss is one by its channel, rendition, time and reason; what ends before the cut is forgotten
    /// already.
    func enterLosses(_ renditions: [RenditionID: Int32], expiredBefore: Instant) async throws {
        let losses = batch.losses.filter { $0.window.end > expiredBefore && !$0.window.isEmpty }
        guard !losses.isEmpty else { return }
        let rows: [Int32?] = losses.map { $0.rendition.flatMap { renditions[$0] } }
        _ = try await transaction.query(
            """
            INSERT INTO loss (channel_id, rendition_id, begin_us, end_us, reason, note)
            SELECT DISTINCT ON (t.rendition_id, t.begin_us, t.end_us, t.reason)
                \(batch.channel), t.rendition_id, t.begin_us, t.end_us, t.reason, t.note
            FROM unnest(\(rows), \(losses.map(\.window.begin.microseconds)), \(losses.map(\.window.end.microseconds)),
                \(losses.map(\.reason.rawValue)), \(losses.map(\.note))) AS t(rendition_id, begin_us, end_us, reason, note)
            WHERE NOT EXISTS (
                SELECT FROM loss WHERE loss.channel_id = \(batch.channel) AND loss.begin_us = t.begin_us
                    AND loss.end_us = t.end_us AND loss.reason = t.reason
                    AND loss.rendition_id IS NOT DISTINCT FROM t.rendition_id)
            """)
    }

    func markKeyPending(_ renditions: [RenditionID: Int32]) async throws {
        let places = batch.keyPending.map {
            PlacedSegment(identity: $0.identity, start: $0.start, duration: $0.duration)
        }
        try await mark(places, as: "key_pending", renditions)
    }

    func markLost(_ renditions: [RenditionID: Int32]) async throws {
        try await mark(batch.lost, as: "lost", renditions)
    }

    /// What is stored stays stored, and what is lost stays lost.
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
                WHERE intake.state IN ('listed', 'key_pending')
            """)
    }
}
