import Foundation
import Postgres
import Timeline

extension Catalogue {
    /// Enters a batch in one transaction. The channel's line is locked first, so that the order of commits is the order
    /// of numbers; intake decides what is fresh, so that a batch whose commit result was lost can simply be repeated.
    ///
    /// - Returns: whether the lease still held. If not, the facts were entered without numbers.
    package func remember(_ batch: Batch) async throws(CatalogueError) -> Bool {
        try await asking {
            try await ensureDays(of: batch.segments.map(\.fact.start))
            return try await pool.transaction { transaction in
                try await Remembering(batch: batch, transaction: transaction).run()
            }
        }
    }
}

/// One batch on its way in.
private struct Remembering {
    let batch: Batch
    let transaction: PostgresTransaction

    func run() async throws -> Bool {
        let (held, forgotten) = try await moveLine()
        try await describeRenditions()
        let renditions = try await renditionRows()
        try await enterFeeds()
        if held { try await enterEpochs() }
        try await enterLosses(renditions)
        try await markLost(renditions)
        let quarters = try await enterSegments(renditions, held: held, forgotten: forgotten)
        if held { try await moveNumbers(renditions) }
        try await transaction.summarise(quarters)
        _ = try await transaction.query(
            "SELECT pg_notify(\(Catalogue.Announcement.line), \(String(batch.channel)))")
        return held
    }

    private func moveLine() async throws -> (held: Bool, forgotten: Instant) {
        let line = batch.line
        let moved = try await transaction.query(
            """
            UPDATE line SET epoch = greatest(epoch, \(line.epoch)), end_us = greatest(end_us, \(line.end.microseconds)),
                watermark_us = greatest(watermark_us, \(line.watermark.microseconds)),
                target_seconds = greatest(target_seconds, \(Int32(line.targetSeconds)))
            WHERE channel_id = \(batch.channel) AND fence = \(batch.fence) RETURNING forgotten_us
            """)
        if let row = moved.first { return (true, Instant(microseconds: try row.decode("forgotten_us"))) }
        let stale = try await transaction.query(
            "SELECT forgotten_us FROM line WHERE channel_id = \(batch.channel) FOR UPDATE")
        guard let row = stale.first else { throw CatalogueError.unreadable("no line of channel \(batch.channel)") }
        return (false, Instant(microseconds: try row.decode("forgotten_us")))
    }

    private func describeRenditions() async throws {
        let encoder = JSONEncoder()
        for rendition in batch.renditions {
            let match = String(decoding: try encoder.encode(rendition), as: UTF8.self)
            _ = try await transaction.query(
                """
                INSERT INTO rendition (channel_id, name, kind, match)
                VALUES (\(batch.channel), \(rendition.id.description), \(rendition.id.kind.rawValue), \(match)::jsonb)
                ON CONFLICT (channel_id, name) DO UPDATE SET match = excluded.match
                """)
        }
    }

    private func renditionRows() async throws -> [RenditionID: Int32] {
        var found: [RenditionID: Int32] = [:]
        let rows = try await transaction.query(
            "SELECT rendition_id, name FROM rendition WHERE channel_id = \(batch.channel)")
        for row in rows {
            guard let id = RenditionID(try row.decode("name", as: String.self)) else { continue }
            found[id] = try row.decode("rendition_id", as: Int32.self)
        }
        return found
    }

    private func enterFeeds() async throws {
        guard !batch.feeds.isEmpty else { return }
        let feeds = batch.feeds
        _ = try await transaction.query(
            """
            INSERT INTO feed (feed_id, channel_id, source, began_us, clock)
            SELECT id, \(batch.channel), source, began, clock
            FROM unnest(\(feeds.map(\.id)), \(feeds.map(\.source)), \(feeds.map(\.began.microseconds)),
                \(feeds.map(\.clock))) AS t(id, source, began, clock)
            ON CONFLICT DO NOTHING
            """)
    }

    private func enterEpochs() async throws {
        guard !batch.epochs.isEmpty else { return }
        let epochs = batch.epochs
        _ = try await transaction.query(
            """
            INSERT INTO epoch (channel_id, epoch, begin_us, cause, target_seconds)
            SELECT \(batch.channel), epoch, begin_us, cause, target
            FROM unnest(\(epochs.map(\.epoch)), \(epochs.map(\.begin.microseconds)), \(epochs.map(\.cause)),
                \(epochs.map { Int32($0.targetSeconds) })) AS t(epoch, begin_us, cause, target)
            ON CONFLICT DO NOTHING
            """)
    }

    private func enterLosses(_ renditions: [RenditionID: Int32]) async throws {
        guard !batch.losses.isEmpty else { return }
        let losses = batch.losses
        let rows: [Int32?] = losses.map { $0.rendition.flatMap { renditions[$0] } }
        _ = try await transaction.query(
            """
            INSERT INTO loss (channel_id, rendition_id, begin_us, end_us, reason, note)
            SELECT \(batch.channel), t.rendition_id, t.begin_us, t.end_us, t.reason, t.note
            FROM unnest(\(rows), \(losses.map(\.window.begin.microseconds)), \(losses.map(\.window.end.microseconds)),
                \(losses.map(\.reason.rawValue)), \(losses.map(\.note))) AS t(rendition_id, begin_us, end_us, reason, note)
            WHERE NOT EXISTS (
                SELECT FROM loss WHERE loss.channel_id = \(batch.channel) AND loss.begin_us = t.begin_us
                    AND loss.end_us = t.end_us AND loss.reason = t.reason
                    AND loss.rendition_id IS NOT DISTINCT FROM t.rendition_id)
            """)
    }

    private func markLost(_ renditions: [RenditionID: Int32]) async throws {
        let lost = batch.lost.filter { renditions[$0.identity.rendition] != nil }
        guard !lost.isEmpty else { return }
        _ = try await transaction.query(
            """
            INSERT INTO intake (rendition_id, feed_id, origin_number, start_us, duration_us, state)
            SELECT *, 'lost' FROM unnest(\(lost.compactMap { renditions[$0.identity.rendition] }),
                \(lost.map(\.identity.feed)), \(lost.map(\.identity.number)), \(lost.map(\.start.microseconds)),
                \(lost.map { Int32(clamping: $0.duration) }))
            ON CONFLICT (rendition_id, feed_id, origin_number) DO NOTHING
            """)
    }

    /// Enters what intake has not seen yet and what is not forgotten; gives the quarters that changed.
    private func enterSegments(
        _ renditions: [RenditionID: Int32], held: Bool, forgotten: Instant,
    ) async throws -> Set<Quarter> {
        let segments = batch.segments.filter { renditions[$0.fact.identity.rendition] != nil }
        guard !segments.isEmpty else { return [] }
        let states = try await stateRows(segments.map(\.fact))
        let facts = segments.map(\.fact)
        let rows = try await transaction.query(
            """
            WITH incoming AS (
                SELECT * FROM unnest(
                    \(facts.compactMap { renditions[$0.identity.rendition] }), \(facts.map(\.identity.feed)),
                    \(facts.map(\.identity.number)), \(facts.map(\.start.microseconds)),
                    \(facts.map { Int32(clamping: $0.duration) }),
                    \(segments.map { held ? $0.number : nil }), \(segments.map { held ? $0.epoch : nil }),
                    \(facts.map(\.revision)), \(facts.map { states[$0.state.canonicalText] }),
                    \(facts.map(\.flags.rawValue)), \(facts.map { Int32(clamping: $0.storedBytes) }),
                    \(facts.map { Int32(clamping: $0.plainBytes) }), \(facts.map(\.iv)),
                    \(facts.map { $0.programDateTime?.microseconds }), \(facts.map(\.arrived.microseconds)),
                    \(facts.map(\.firstTimestamp)), \(facts.map(\.digest)))
                AS t(rendition_id, feed_id, origin_number, start_us, duration_us, number, epoch, revision, state_id,
                    flags, stored_bytes, plain_bytes, iv, pdt_us, arrived_us, first_pts, digest)),
            fresh AS (
                INSERT INTO intake (rendition_id, feed_id, origin_number, start_us, duration_us, state)
                SELECT rendition_id, feed_id, origin_number, start_us, duration_us, 'stored' FROM incoming
                ON CONFLICT (rendition_id, feed_id, origin_number) DO UPDATE SET state = 'stored', seen_at = now()
                    WHERE intake.state IN ('listed', 'key_pending', 'lost')
                RETURNING rendition_id, feed_id, origin_number)
            INSERT INTO segment (rendition_id, start_us, duration_us, number, epoch, revision, state_id, flags,
                stored_bytes, plain_bytes, iv, feed_id, origin_number, pdt_us, arrived_us, first_pts, digest)
            SELECT rendition_id, start_us, duration_us, number,
                coalesce(epoch, (SELECT max(e.epoch) FROM epoch e WHERE e.channel_id = \(batch.channel)
                    AND e.begin_us <= start_us + duration_us / 2), 0),
                revision, state_id, flags, stored_bytes, plain_bytes, iv, feed_id, origin_number, pdt_us,
                arrived_us, first_pts, digest
            FROM incoming JOIN fresh USING (rendition_id, feed_id, origin_number)
            WHERE start_us >= \(forgotten.microseconds)
            ON CONFLICT DO NOTHING RETURNING rendition_id, start_us
            """)
        return try Set(rows.map { Quarter(rendition: try $0.decode(0), containing: try $0.decode(1)) })
    }

    private func stateRows(_ facts: [SegmentFact]) async throws -> [String: Int32] {
        let states = Dictionary(facts.map { ($0.state.canonicalText, $0.state) }, uniquingKeysWith: { a, _ in a })
        var found: [String: Int32] = [:]
        for (text, state) in states.sorted(by: { $0.key < $1.key }) {
            let used = facts.filter { $0.state == state }.map(\.end.microseconds).max() ?? 0
            let rows = try await transaction.query(
                """
                INSERT INTO state (channel_id, digest, container, tracks, codecs, width, height, init_name,
                    key_method, key_name, drm_tags, last_used_us)
                VALUES (\(batch.channel), sha256(convert_to(\(text), 'UTF8')), \(state.container.rawValue),
                    \(state.tracks), \(state.codecs), \(Int32(state.width)), \(Int32(state.height)),
                    \(state.initName as String?), \(state.keyMethod as String?), \(state.keyName as String?), \(state.drmTags), \(used))
                ON CONFLICT (channel_id, digest)
                    DO UPDATE SET last_used_us = greatest(state.last_used_us, excluded.last_used_us)
                RETURNING state_id
                """)
            found[text] = try rows.first?.decode("state_id", as: Int32.self)
        }
        return found
    }

    private func moveNumbers(_ renditions: [RenditionID: Int32]) async throws {
        var next: [RenditionID: Int64] = [:]
        for segment in batch.segments {
            guard let number = segment.number else { continue }
            next[segment.fact.identity.rendition] = max(next[segment.fact.identity.rendition] ?? 0, number + 1)
        }
        let moved = next.filter { renditions[$0.key] != nil }
        guard !moved.isEmpty else { return }
        _ = try await transaction.query(
            """
            UPDATE rendition SET next_number = greatest(next_number, t.next)
            FROM unnest(\(moved.keys.compactMap { renditions[$0] }), \(moved.keys.compactMap { moved[$0] })) AS t(id, next)
            WHERE rendition_id = t.id
            """)
    }
}
