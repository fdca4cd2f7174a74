import Postgres
import Timeline

extension BatchWriter {
    /// Stores segments that are new to `intake` and begin after the expiry cut.
    ///
    /// Returns the quarters that changed.
    func enterSegments(
        _ renditions: [RenditionID: Int32], _ segments: [DecidedSegment], held: Bool, expiredBefore: Instant,
    ) async throws -> Set<Quarter> {
        let rows = IncomingRows(segments, renditions: renditions, isPublished: held)
        guard !rows.isEmpty else { return [] }
        let formats = try await formatRows(rows.facts)
        let entered = try await enter(rows, formats: formats, expiredBefore: expiredBefore)
        var quarters = entered.quarters
        let refused = rows.published.filter { !entered.identities.contains($0.fact.identity) }
        if !refused.isEmpty {
            let again = IncomingRows(refused, renditions: renditions, isPublished: true)
            let displaced = try await displaceArchived(again)
            if !displaced.isEmpty {
                quarters.formUnion(displaced)
                quarters.formUnion(
                    try await enter(again, formats: formats, expiredBefore: expiredBefore).quarters)
            }
        }
        return quarters
    }

    private func enter(
        _ incoming: IncomingRows, formats: [String: Int32], expiredBefore: Instant,
    ) async throws -> (identities: Set<SegmentIdentity>, quarters: Set<Quarter>) {
        let facts = incoming.facts
        let rows = try await transaction.query(
            """
            WITH incoming AS (
                SELECT * FROM unnest(
                    \(incoming.renditions), \(facts.map(\.identity.run)),
                    \(facts.map(\.identity.number)), \(facts.map(\.start.microseconds)),
                    \(facts.map { Int32(clamping: $0.duration) }), \(incoming.numbers),
                    \(incoming.discontinuitySequences),
                    \(facts.map(\.revision)), \(facts.map { formats[$0.format.canonicalText] }),
                    \(facts.map(\.flags.rawValue)), \(facts.map { Int32(clamping: $0.storedBytes) }),
                    \(facts.map { Int32(clamping: $0.plainBytes) }), \(facts.map(\.iv)),
                    \(facts.map { $0.programDateTime?.microseconds }), \(facts.map(\.arrived.microseconds)),
                    \(facts.map(\.firstTimestamp)), \(facts.map(\.digest)),
                    \(facts.map { $0.measuredDuration.map { Int32(clamping: $0) } }),
                    \(facts.map { CueTagText.text($0.cueTags) }))
                AS t(rendition_id, feed_id, origin_number, start_us, duration_us, number, epoch, revision, state_id,
                    flags, stored_bytes, plain_bytes, iv, pdt_us, arrived_us, first_pts, digest,
                    measured_us, cue_tags)),
            fresh AS (
                INSERT INTO intake (rendition_id, feed_id, origin_number, start_us, duration_us, state)
                SELECT rendition_id, feed_id, origin_number, start_us, duration_us, 'stored' FROM incoming
                ON CONFLICT (rendition_id, feed_id, origin_number) DO UPDATE
                    SET state = 'stored', seen_at = now(), start_us = excluded.start_us,
                        duration_us = excluded.duration_us
                    WHERE intake.state IN ('listed', 'key_pending', 'lost')
                RETURNING rendition_id, feed_id, origin_number)
            INSERT INTO segment (rendition_id, start_us, duration_us, number, epoch, revision, state_id, flags,
                stored_bytes, plain_bytes, iv, feed_id, origin_number, pdt_us, arrived_us, first_pts, digest,
                measured_us, cue_tags)
            SELECT rendition_id, start_us, duration_us, number,
                coalesce(epoch, (SELECT e.epoch FROM epoch e WHERE e.channel_id = \(batch.channel)
                    AND e.begin_us <= start_us + duration_us / 2
                    ORDER BY e.begin_us DESC, e.epoch DESC LIMIT 1), 0),
                revision, state_id, flags, stored_bytes, plain_bytes, iv, feed_id, origin_number, pdt_us,
                arrived_us, first_pts, digest, measured_us, cue_tags
            FROM incoming JOIN fresh USING (rendition_id, feed_id, origin_number)
            WHERE start_us >= \(expiredBefore.microseconds)
            ORDER BY number NULLS LAST
            ON CONFLICT DO NOTHING RETURNING rendition_id, start_us, feed_id, origin_number
            """)
        return try incoming.entered(rows)
    }

    /// Deletes archived rows that block published segments.
    ///
    /// A previous owner's journal may have stored a segment unpublished, with the same identity or the same
    /// start as one that the current owner publishes. If the row stayed, the published number would be
    /// missing from every growing playlist.
    ///
    /// - Returns: the quarters that lost a row
    private func displaceArchived(_ rows: IncomingRows) async throws -> Set<Quarter> {
        let facts = rows.facts
        let gone = try await transaction.query(
            """
            WITH incoming AS (
                SELECT * FROM unnest(\(rows.renditions), \(facts.map(\.identity.run)),
                    \(facts.map(\.identity.number)), \(facts.map(\.start.microseconds)))
                AS t(rendition_id, feed_id, origin_number, start_us)),
            place AS (
                SELECT rendition_id, start_us FROM incoming
                UNION SELECT i.rendition_id, i.start_us
                FROM incoming JOIN intake i USING (rendition_id, feed_id, origin_number)),
            gone AS (
                DELETE FROM segment s USING place p
                WHERE s.rendition_id = p.rendition_id AND s.start_us = p.start_us AND NOT s.kept AND s.number IS NULL
                    AND (EXISTS (SELECT FROM incoming i WHERE i.rendition_id = s.rendition_id
                            AND i.feed_id = s.feed_id AND i.origin_number = s.origin_number)
                        OR EXISTS (SELECT FROM incoming i WHERE i.rendition_id = s.rendition_id
                            AND i.start_us = s.start_us))
                RETURNING s.rendition_id, s.start_us),
            reopened AS (
                UPDATE intake SET state = 'listed' FROM incoming i
                WHERE intake.rendition_id = i.rendition_id AND intake.feed_id = i.feed_id
                    AND intake.origin_number = i.origin_number AND EXISTS (
                        SELECT FROM gone WHERE gone.rendition_id = i.rendition_id
                            AND gone.start_us IN (i.start_us, intake.start_us)))
            SELECT rendition_id, start_us FROM gone
            """)
        return try Set(gone.map { Quarter(rendition: try $0.decode(0), containing: try $0.decode(1)) })
    }
}

/// The segments of a batch as columns of one statement; each identity occurs once.
private struct IncomingRows {
    private let segments: [DecidedSegment]
    let renditions: [Int32]
    let numbers: [Int64?]
    let discontinuitySequences: [Int32?]

    /// Keeps the segments whose rendition has a row; of two with the same identity the published one is kept.
    init(_ all: [DecidedSegment], renditions rows: [RenditionID: Int32], isPublished: Bool) {
        var seen = Set<SegmentIdentity>()
        let ordered = all.filter { $0.number != nil } + all.filter { $0.number == nil }
        segments = ordered.filter {
            rows[$0.fact.identity.rendition] != nil && seen.insert($0.fact.identity).inserted
        }
        renditions = segments.compactMap { rows[$0.fact.identity.rendition] }
        numbers = segments.map { isPublished ? $0.number : nil }
        discontinuitySequences = segments.map { isPublished ? $0.discontinuitySequence : nil }
    }

    var isEmpty: Bool { segments.isEmpty }
    var facts: [SegmentFact] { segments.map(\.fact) }

    /// The segments that are stored with a number.
    var published: [DecidedSegment] {
        zip(segments, numbers).filter { $0.1 != nil }.map(\.0)
    }

    /// Reads the rows that the statement returned.
    func entered(_ rows: Rows) throws -> (identities: Set<SegmentIdentity>, quarters: Set<Quarter>) {
        let names = Dictionary(
            zip(renditions, segments.map(\.fact.identity.rendition)), uniquingKeysWith: { first, _ in first })
        var identities = Set<SegmentIdentity>()
        var quarters = Set<Quarter>()
        for row in rows {
            let rendition = try row.decode("rendition_id", as: Int32.self)
            quarters.insert(Quarter(rendition: rendition, containing: try row.decode("start_us")))
            guard let name = names[rendition] else { continue }
            identities.insert(
                SegmentIdentity(
                    rendition: name, run: try row.decode("feed_id"), number: try row.decode("origin_number"))
            )
        }
        return (identities, quarters)
    }
}
