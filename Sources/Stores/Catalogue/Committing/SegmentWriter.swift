import Postgres
import Timeline

/// Stores segments of several channels.
struct SegmentWriter {
    let transaction: PostgresTransaction

    /// Stores segments that are new to `intake` and begin after the expiry cut.
    ///
    /// If the row of their rendition or format is missing, it is created, and they are entered again. With
    /// `staysApart` overlaps stay: the caller takes the segments off the timeline in the same transaction.
    func enter(_ segments: [IncomingSegment], staysApart: Bool = false) async throws -> TouchedQuarters {
        var touched = TouchedQuarters()
        var entries = try await enterOnce(segments, &touched)
        let incomplete = entries.filter { $0.rendition == nil || !$0.hasFormat }
        if !incomplete.isEmpty {
            try await makeReferences(of: incomplete)
            entries.removeAll { $0.rendition == nil || !$0.hasFormat }
            entries += try await enterOnce(incomplete.map(\.segment), &touched)
        }
        let refused = entries.filter { !$0.isEntered && $0.segment.number != nil }
        if !refused.isEmpty, try await deleteBlockingRows(refused, &touched) {
            entries += try await enterOnce(refused.map(\.segment), &touched)
        }
        if !staysApart { try await resolveOverlaps(of: entries, &touched) }
        return touched
    }

    /// Makes the rows that segments refer to and that are missing.
    private func makeReferences(of entries: [SegmentEntry]) async throws {
        for (channel, entries) in Dictionary(grouping: entries, by: \.segment.channel) {
            var batch = Batch(unpublishedIn: channel)
            batch.segments = entries.map {
                DecidedSegment(fact: $0.segment.fact, number: nil, discontinuitySequence: nil)
            }
            let writer = BatchWriter(batch: batch, transaction: transaction)
            try await writer.describeRenditions(held: false)
            _ = try await writer.formatRows(entries.filter { !$0.hasFormat }.map(\.segment.fact))
        }
    }

    private func enterOnce(
        _ segments: [IncomingSegment], _ touched: inout TouchedQuarters,
    ) async throws -> [SegmentEntry] {
        guard !segments.isEmpty else { return [] }
        var entries: [SegmentEntry] = []
        for row in try await transaction.query(Self.insertion(of: segments)) {
            let segment = segments[Int(try row.decode("place", as: Int32.self))]
            let entry = SegmentEntry(
                segment: segment, rendition: try row.decode("rendition_id"),
                hasFormat: try row.decode("has_format"), isEntered: try row.decode("is_entered"),
                isSummarised: try row.decode("is_summarised"), mayOverlap: try row.decode("may_overlap"))
            entries.append(entry)
            guard entry.isEntered, let rendition = entry.rendition else { continue }
            touched.add(
                Quarter(rendition: rendition, containing: segment.fact.start.microseconds),
                of: segment.channel, isSummarised: entry.isSummarised)
        }
        return entries
    }

    /// Inserts segments, and adds them to the summaries of their quarters.
    ///
    /// Where segments come after they expired, their hours are scheduled for deletion here: expiry has passed
    /// them already.
    ///
    /// A summary is extended if all new segments begin after those that it has; else it has to be computed
    /// again. `near` has the segments of the days concerned.
    private static func insertion(of segments: [IncomingSegment]) -> Statement {
        let facts = segments.map(\.fact)
        let days = DayRange(around: facts)
        return """
            WITH near AS NOT MATERIALIZED (
                SELECT * FROM segment WHERE start_us >= \(number: days.begin) AND start_us < \(number: days.end)),
            incoming AS (
                SELECT t.*, r.rendition_id FROM unnest(
                    \(segments.indices.map { Int32(clamping: $0) }), \(segments.map(\.channel)),
                    \(facts.map(\.identity.rendition.description)), \(facts.map(\.identity.run)),
                    \(facts.map(\.identity.number)), \(facts.map(\.start.microseconds)),
                    \(facts.map { Int32(clamping: $0.duration) }), \(segments.map(\.number)),
                    \(segments.map(\.discontinuitySequence)), \(facts.map(\.revision)),
                    \(facts.map(\.format.canonicalText)), \(segments.map(\.flags.rawValue)),
                    \(facts.map { Int32(clamping: $0.storedBytes) }),
                    \(facts.map { Int32(clamping: $0.plainBytes) }), \(facts.map(\.iv)),
                    \(facts.map { $0.programDateTime?.microseconds }), \(facts.map(\.arrived.microseconds)),
                    \(facts.map(\.firstTimestamp)), \(facts.map(\.digest)),
                    \(facts.map { $0.measuredDuration.map { Int32(clamping: $0) } }),
                    \(facts.map { CueTagText.text($0.cueTags) }), \(facts.map { $0.keyFrames?.packed }),
                    \(segments.map(\.expiredBefore.microseconds)))
                AS t(place, channel_id, name, feed_id, origin_number, start_us, duration_us, number, epoch, revision,
                    format, flags, stored_bytes, plain_bytes, iv, pdt_us, arrived_us, first_pts, digest, measured_us,
                    cue_tags, key_frames, expired_us)
                LEFT JOIN rendition r ON r.channel_id = t.channel_id AND r.name = t.name),
            used AS (
                SELECT channel_id, format, max(start_us + duration_us) AS until_us FROM incoming GROUP BY 1, 2),
            known AS (
                UPDATE state s SET last_used_us = greatest(last_used_us, until_us)
                FROM used u
                WHERE s.channel_id = u.channel_id AND s.digest = sha256(convert_to(u.format, 'UTF8'))
                RETURNING s.channel_id, u.format, s.state_id),
            ready AS (
                SELECT i.*, k.state_id FROM incoming i JOIN known k USING (channel_id, format)
                WHERE rendition_id IS NOT NULL),
            fresh AS (
                INSERT INTO intake (rendition_id, feed_id, origin_number, start_us, duration_us, state)
                SELECT rendition_id, feed_id, origin_number, start_us, duration_us, 'stored' FROM ready
                ON CONFLICT (rendition_id, feed_id, origin_number) DO UPDATE
                    SET state = 'stored', seen_at = now(), start_us = excluded.start_us,
                        duration_us = excluded.duration_us
                    WHERE intake.state IN ('listed', 'key_pending', 'lost')
                RETURNING rendition_id, feed_id, origin_number),
            entered AS (
                INSERT INTO segment (rendition_id, start_us, duration_us, number, epoch, revision, state_id, flags,
                    stored_bytes, plain_bytes, iv, feed_id, origin_number, pdt_us, arrived_us, first_pts, digest,
                    measured_us, cue_tags, key_frames)
                SELECT rendition_id, start_us, duration_us, number,
                    coalesce(epoch, (SELECT e.epoch FROM epoch e WHERE e.channel_id = ready.channel_id
                        AND e.begin_us <= start_us + duration_us / 2
                        ORDER BY e.begin_us DESC, e.epoch DESC LIMIT 1), 0),
                    revision, state_id, flags, stored_bytes, plain_bytes, iv, feed_id, origin_number, pdt_us,
                    arrived_us, first_pts, digest, measured_us, cue_tags, key_frames
                FROM ready JOIN fresh USING (rendition_id, feed_id, origin_number)
                WHERE start_us >= expired_us
                ORDER BY number NULLS LAST
                ON CONFLICT DO NOTHING
                RETURNING rendition_id, start_us, duration_us, number, epoch, state_id, stored_bytes, feed_id,
                    origin_number),
            orphaned AS (
                INSERT INTO pending_deletion_hour (prefix, hour_us, not_before)
                SELECT DISTINCT c.slug || '/' || ready.name, start_us - start_us % \(Catalogue.hourMicroseconds), now()
                FROM ready JOIN fresh USING (rendition_id, feed_id, origin_number) JOIN channel c USING (channel_id)
                WHERE start_us < expired_us
                ON CONFLICT (prefix, hour_us) DO NOTHING),
            \(verbatim: Self.appending)
            SELECT i.place, i.rendition_id, k.state_id IS NOT NULL AS has_format, p.start_us IS NOT NULL AS is_entered,
                a.quarter_us IS NOT NULL AS is_summarised,
                p.number IS NULL OR a.quarter_us IS NULL OR (a.unpublished > 0 OR EXISTS (
                    SELECT FROM block b WHERE b.rendition_id = p.rendition_id AND b.unpublished > 0
                        AND b.quarter_us IN (p.quarter_us - 900000000, p.quarter_us + 900000000)
                        AND b.begin_us < p.start_us + p.duration_us AND b.end_us > p.start_us))
                AND EXISTS (
                    SELECT FROM near s WHERE s.rendition_id = p.rendition_id AND s.number IS NULL
                        AND s.start_us > p.start_us - \(Catalogue.longestSegment)
                        AND s.start_us < p.start_us + p.duration_us AND s.start_us + s.duration_us > p.start_us)
                    AS may_overlap
            FROM incoming i LEFT JOIN known k USING (channel_id, format)
                LEFT JOIN placed p USING (rendition_id, feed_id, origin_number)
                LEFT JOIN appended a ON a.rendition_id = p.rendition_id AND a.quarter_us = p.quarter_us
            """
    }

    /// The steps from `entered` to the summaries; a quarter is 900,000,000 microseconds.
    private static let appending = """
        placed AS (
            SELECT e.*, start_us - (start_us % 900000000 + 900000000) % 900000000 AS quarter_us FROM entered e),
        joined AS (
            SELECT p.*, coalesce(abs(start_us - lag(start_us + duration_us) OVER near) <= 1000
                AND epoch = lag(epoch) OVER near AND state_id = lag(state_id) OVER near, true) AS joined
            FROM placed p WINDOW near AS (PARTITION BY rendition_id, quarter_us ORDER BY start_us)),
        added AS (
            SELECT rendition_id, quarter_us, count(*) AS segments, sum(stored_bytes) AS bytes,
                sum(duration_us) AS held_us, max(stored_bytes * 8000000::bigint / duration_us) AS peak_bps,
                count(*) FILTER (WHERE number IS NULL) AS unpublished, bool_and(joined) AS contiguous,
                min(start_us) AS begin_us, max(start_us + duration_us) AS end_us,
                (array_agg(epoch ORDER BY start_us))[1] AS first_epoch,
                (array_agg(state_id ORDER BY start_us))[1] AS first_state
            FROM joined GROUP BY 1, 2),
        appended AS (
            INSERT INTO block (rendition_id, quarter_us, revision, segments, bytes, held_us, peak_bps, unpublished,
                contiguous, begin_us, end_us)
            SELECT a.rendition_id, a.quarter_us, 1, a.segments, a.bytes, a.held_us, a.peak_bps, a.unpublished,
                a.contiguous AND (last.start_us IS NULL
                    OR abs(a.begin_us - last.start_us - last.duration_us) <= 1000
                        AND last.epoch = a.first_epoch AND last.state_id = a.first_state),
                a.begin_us, a.end_us
            FROM added a LEFT JOIN block b ON b.rendition_id = a.rendition_id AND b.quarter_us = a.quarter_us
                LEFT JOIN LATERAL (
                    SELECT start_us, duration_us, epoch, state_id FROM near s
                    WHERE s.rendition_id = a.rendition_id AND s.start_us >= a.quarter_us
                        AND s.start_us < a.quarter_us + 900000000
                    ORDER BY s.start_us DESC LIMIT 1) AS last ON true
            WHERE (b.segments IS NULL) = (last.start_us IS NULL) AND coalesce(last.start_us < a.begin_us, true)
            ON CONFLICT (rendition_id, quarter_us) DO UPDATE
                SET revision = block.revision + 1, segments = block.segments + excluded.segments,
                    bytes = block.bytes + excluded.bytes, held_us = block.held_us + excluded.held_us,
                    peak_bps = greatest(block.peak_bps, excluded.peak_bps),
                    unpublished = block.unpublished + excluded.unpublished,
                    contiguous = block.contiguous AND excluded.contiguous,
                    end_us = greatest(block.end_us, excluded.end_us)
            RETURNING rendition_id, quarter_us, unpublished)
        """

    /// Deletes archived rows that block published segments.
    ///
    /// A previous owner's journal may have stored a segment unpublished, with the same identity or the same
    /// start as one that the current owner publishes. If the row stayed, the published number would be
    /// missing from every growing playlist.
    ///
    /// - Returns: whether there were any
    private func deleteBlockingRows(
        _ entries: [SegmentEntry], _ touched: inout TouchedQuarters,
    ) async throws -> Bool {
        let days = try await days(of: entries.map(\.segment.fact), entries.map(\.rendition))
        let gone = try await transaction.query(Self.deletion(ofRowsBlocking: entries, in: days))
        for row in gone {
            touched.add(
                Quarter(rendition: try row.decode("rendition_id"), containing: try row.decode("start_us")),
                of: try row.decode("channel_id"), isSummarised: false)
        }
        return !gone.isEmpty
    }

    /// Deletes archived rows with the identity or the start of given segments, and marks these as listed
    /// again.
    private static func deletion(ofRowsBlocking entries: [SegmentEntry], in days: DayRange) -> Statement {
        let facts = entries.map(\.segment.fact)
        return """
            WITH incoming AS (
                SELECT * FROM unnest(\(entries.map(\.segment.channel)), \(entries.map(\.rendition)),
                    \(facts.map(\.identity.run)), \(facts.map(\.identity.number)),
                    \(facts.map(\.start.microseconds)))
                AS t(channel_id, rendition_id, feed_id, origin_number, start_us)),
            place AS (
                SELECT rendition_id, start_us FROM incoming
                UNION SELECT i.rendition_id, i.start_us
                FROM incoming JOIN intake i USING (rendition_id, feed_id, origin_number)),
            gone AS (
                DELETE FROM segment s USING place p
                WHERE s.rendition_id = p.rendition_id AND s.start_us = p.start_us AND NOT s.kept AND s.number IS NULL
                    AND s.start_us >= \(number: days.begin) AND s.start_us < \(number: days.end)
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
            SELECT DISTINCT i.channel_id, gone.rendition_id, gone.start_us FROM gone JOIN incoming i USING (rendition_id)
            """
    }

    /// The days in which segments with these identities begin, and those in which they were stored before.
    private func days(of facts: [SegmentFact], _ renditions: [Int32?]) async throws -> DayRange {
        let known = try await transaction.query(
            """
            SELECT min(i.start_us) AS first_us, max(i.start_us) AS last_us
            FROM unnest(\(renditions), \(facts.map(\.identity.run)), \(facts.map(\.identity.number)))
                AS t(rendition_id, feed_id, origin_number) JOIN intake i USING (rendition_id, feed_id, origin_number)
            """
        ).first
        let first = try known?.decode("first_us", as: Int64?.self)
        let last = try known?.decode("last_us", as: Int64?.self)
        let starts = facts.map(\.start.microseconds) + [first, last].compactMap(\.self)
        return DayRange(from: starts.min() ?? 0, to: starts.max() ?? 0)
    }
}
