package import Postgres
import Timeline

extension PostgresTransaction {
    /// Recomputes the summaries of quarters from their segments; the summary of an empty quarter is deleted.
    ///
    /// The bytes are those on the disk: of a segment with better bytes both versions count.
    package func summarise(_ quarters: Set<Quarter>) async throws {
        guard !quarters.isEmpty else { return }
        let renditions = quarters.map(\.rendition)
        let begins = quarters.map(\.begin)
        let days = DayRange(from: begins.min() ?? 0, to: begins.max() ?? 0)
        _ = try await query(
            """
            WITH touched AS (SELECT * FROM unnest(\(renditions), \(begins)) AS t(rendition_id, quarter_us)),
            entry AS (
                SELECT t.rendition_id, t.quarter_us, s.stored_bytes, s.start_us, s.duration_us, s.number,
                    coalesce(s.repair_stored_bytes, 0) AS repair_bytes,
                    coalesce(abs(s.start_us - lag(s.start_us + s.duration_us) OVER near) <= 1000
                        AND s.epoch = lag(s.epoch) OVER near AND s.state_id = lag(s.state_id) OVER near, true) AS joined
                FROM touched t JOIN segment s ON s.rendition_id = t.rendition_id
                    AND s.start_us >= t.quarter_us AND s.start_us < t.quarter_us + \(Quarter.microseconds)
                    AND s.start_us >= \(number: days.begin) AND s.start_us < \(number: days.end)
                WINDOW near AS (PARTITION BY t.rendition_id, t.quarter_us ORDER BY s.start_us)),
            summary AS (
                SELECT rendition_id, quarter_us, count(*) AS segments, sum(stored_bytes::bigint + repair_bytes) AS bytes,
                    sum(duration_us) AS held_us, max(stored_bytes * 8000000::bigint / duration_us) AS peak_bps,
                    count(*) FILTER (WHERE number IS NULL) AS unpublished, bool_and(joined) AS contiguous,
                    min(start_us) AS begin_us, max(start_us + duration_us) AS end_us
                FROM entry GROUP BY rendition_id, quarter_us),
            emptied AS (
                DELETE FROM block b USING touched t
                WHERE b.rendition_id = t.rendition_id AND b.quarter_us = t.quarter_us AND NOT EXISTS (
                    SELECT FROM summary s WHERE s.rendition_id = t.rendition_id AND s.quarter_us = t.quarter_us))
            INSERT INTO block (rendition_id, quarter_us, revision, segments, bytes, held_us, peak_bps, unpublished,
                contiguous, begin_us, end_us)
            SELECT rendition_id, quarter_us, 1, segments, bytes, held_us, peak_bps, unpublished, contiguous,
                begin_us, end_us
            FROM summary
            ON CONFLICT (rendition_id, quarter_us) DO UPDATE
                SET revision = block.revision + 1, segments = excluded.segments, bytes = excluded.bytes,
                    held_us = excluded.held_us, peak_bps = excluded.peak_bps, unpublished = excluded.unpublished,
                    contiguous = excluded.contiguous, begin_us = excluded.begin_us, end_us = excluded.end_us
            """)
    }
}
