import Postgres
import Timeline

/// Rows that overlap, because two recorders have placed them.
extension SegmentWriter {
    /// Resolves what overlaps where something unpublished has entered, or lies beside what was published.
    ///
    /// The locks on the channels' rows keep other batches out.
    func resolveOverlaps(of entries: [SegmentEntry], _ touched: inout TouchedQuarters) async throws {
        let doubtful = Dictionary(
            grouping: entries.filter { $0.isEntered && $0.mayOverlap }, by: { $0.rendition ?? 0 })
        for (rendition, entries) in doubtful.sorted(by: { $0.key < $1.key }) {
            guard let channel = entries.first?.segment.channel else { continue }
            let rows = try await overlapping(entries, rendition)
            guard !rows.isEmpty else { continue }
            let resolution = Overlap.resolve(rows.map(\.place))
            try await remove(resolution.removed.map { rows[$0] }, rendition)
            try await shorten(resolution.durations.map { (rows[$0.key], $0.value) }, rendition)
            for index in resolution.removed + resolution.durations.keys {
                let quarter = Quarter(
                    rendition: rendition, containing: rows[index].place.start.microseconds)
                touched.add(quarter, of: channel, isSummarised: false)
            }
        }
    }

    private struct OverlappingRow {
        var place: Overlap.Row
        var measured: Int64?
        var flags: SegmentFlags
        var identity: (run: Int64, number: Int64)
    }

    /// The rows around new ones that overlap others, in the order of their starts.
    private func overlapping(_ entries: [SegmentEntry], _ rendition: Int32) async throws -> [OverlappingRow] {
        let facts = entries.map(\.segment.fact)
        guard let first = facts.map(\.start).min(), let last = facts.map(\.end).max() else { return [] }
        let new = Set(facts.map(\.identity))
        let days = DayRange(around: facts)
        let rows = try await transaction.query(
            """
            SELECT * FROM (
                SELECT start_us, duration_us::bigint AS duration_us, number, flags, measured_us::bigint AS measured_us,
                    feed_id, origin_number, coalesce(repair_digest, digest) AS digest,
                    max(start_us + duration_us) OVER (
                        ORDER BY start_us ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS prior_end_us,
                    lead(start_us) OVER (ORDER BY start_us) AS next_us
                FROM segment WHERE rendition_id = \(rendition) AND NOT kept
                    AND start_us >= \(first.microseconds - Catalogue.longestSegment)
                    AND start_us < \(last.microseconds)
                    AND start_us >= \(number: days.begin) AND start_us < \(number: days.end)) AS near
            WHERE prior_end_us > start_us OR next_us < start_us + duration_us ORDER BY start_us
            """)
        return try rows.map { row in
            let (run, number) = (
                try row.decode("feed_id", as: Int64.self), try row.decode("origin_number", as: Int64.self)
            )
            let isNew = new.contains { $0.run == run && $0.number == number }
            return OverlappingRow(
                place: Overlap.Row(
                    start: Instant(microseconds: try row.decode("start_us")),
                    duration: try row.decode("duration_us"),
                    isPublished: try row.decode("number", as: Int64?.self) != nil, isNew: isNew,
                    digest: try row.decode("digest")),
                measured: try row.decode("measured_us"),
                flags: SegmentFlags(rawValue: try row.decode("flags")), identity: (run, number))
        }
    }

    /// Removes rows whose time other rows hold; their identities may still be published.
    private func remove(_ rows: [OverlappingRow], _ rendition: Int32) async throws {
        let starts = rows.map(\.place.start.microseconds)
        guard let first = starts.min(), let last = starts.max() else { return }
        let days = DayRange(from: first, to: last)
        _ = try await transaction.query(
            """
            WITH gone AS (
                DELETE FROM segment WHERE rendition_id = \(rendition) AND start_us = ANY(\(starts)) AND NOT kept
                    AND number IS NULL AND start_us >= \(number: days.begin) AND start_us < \(number: days.end))
            UPDATE intake SET state = 'lost'
            FROM unnest(\(rows.map(\.identity.run)), \(rows.map(\.identity.number))) AS t(feed_id, origin_number)
            WHERE rendition_id = \(rendition) AND intake.feed_id = t.feed_id
                AND intake.origin_number = t.origin_number
            """)
    }

    private func shorten(_ rows: [(OverlappingRow, Int64)], _ rendition: Int32) async throws {
        let starts = rows.map(\.0.place.start.microseconds)
        guard let first = starts.min(), let last = starts.max() else { return }
        let days = DayRange(from: first, to: last)
        let stated = rows.map { row, duration in
            row.flags.contains(.measuredDuration)
                ? nil : Overlap.statedDuration(of: row.place, measured: row.measured, lasting: duration)
        }
        _ = try await transaction.query(
            """
            UPDATE segment s SET duration_us = t.duration_us,
                flags = CASE WHEN said_us IS NULL THEN flags ELSE flags | \(SegmentFlags.measuredDuration.rawValue) END,
                measured_us = coalesce(said_us, measured_us),
                repair_flags = CASE WHEN said_us IS NULL THEN repair_flags
                    ELSE repair_flags | \(SegmentFlags.measuredDuration.rawValue) END,
                repair_measured_us = CASE WHEN repair_flags & \(SegmentFlags.measuredDuration.rawValue) = 0
                    THEN coalesce(said_us, repair_measured_us) ELSE repair_measured_us END
            FROM unnest(\(starts), \(rows.map { Int32(clamping: $0.1) }),
                \(stated.map { $0.map { Int32(clamping: $0) } })) AS t(start_us, duration_us, said_us)
            WHERE s.rendition_id = \(rendition) AND s.start_us = t.start_us AND NOT s.kept
                AND s.start_us >= \(number: days.begin) AND s.start_us < \(number: days.end)
            """)
    }
}
