import Foundation
import Postgres
import Timeline

/// The rows that segments refer to: renditions, source runs and discontinuity sequences.
extension BatchWriter {
    /// Stores the described renditions and those that are only mentioned: a segment that is replayed from a
    /// journal must find its rendition.
    ///
    /// If the lease is lost, an existing description is not replaced.
    func describeRenditions(held: Bool) async throws {
        let mentioned =
            batch.segments.map(\.fact.identity.rendition)
            + (batch.lost + batch.listed).map(\.identity.rendition)
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
            FROM unnest(\(starts.map(\.sequence)), \(starts.map(\.begin.microseconds)), \(starts.map(\.cause.rawValue)),
                \(starts.map { Int32(clamping: $0.targetSeconds) })) AS t(epoch, begin_us, cause, target)
            ON CONFLICT DO NOTHING
            """)
    }
}
