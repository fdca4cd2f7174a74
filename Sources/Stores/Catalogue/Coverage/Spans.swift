import Postgres
import Timeline

/// Which spans are taken where there are too many.
enum SpanChoice {
    case oldest, newest
}

extension Catalogue {
    /// The contiguous spans of one rendition within a window, in order; at most `Limits.timelineEntries` and
    /// one more, which tells that there are more.
    ///
    /// Whole quarters are answered from their summaries. Segments are only read for quarters that are not
    /// contiguous or that the window divides.
    func spans(
        of rendition: Int32, in window: TimeWindow, _ choice: SpanChoice = .oldest,
    ) async throws -> [CoverageSpan] {
        guard !window.isEmpty else { return [] }
        let direction: Int64 = choice == .newest ? -1 : 1
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        let spans = try await pool.query(
            """
            WITH quarter AS (
                SELECT quarter_us, begin_us, end_us, segments, bytes,
                    contiguous AND begin_us >= \(begin) AND end_us <= \(end) AS whole
                FROM block WHERE rendition_id = \(rendition) AND begin_us < \(end) AND end_us > \(begin)
                    AND quarter_us > \((window.begin - (Quarter.microseconds + Self.longestSegment)).microseconds)
                    AND quarter_us < \(end)),
            entry AS (
                SELECT begin_us, end_us, segments::bigint AS segments, bytes FROM quarter WHERE whole
                UNION ALL
                SELECT s.start_us, s.start_us + s.duration_us, 1,
                    s.stored_bytes::bigint + coalesce(s.repair_stored_bytes, 0)
                FROM quarter q JOIN segment s ON s.rendition_id = \(rendition)
                    AND s.start_us >= q.quarter_us AND s.start_us < q.quarter_us + \(Quarter.microseconds)
                WHERE NOT q.whole AND s.start_us < \(end) AND s.start_us + s.duration_us > \(begin)),
            edge AS (
                SELECT *, (begin_us - max(end_us) OVER (ORDER BY begin_us, end_us
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) <= 1000) IS NOT TRUE AS opens
                FROM entry),
            island AS (
                SELECT *, count(*) FILTER (WHERE opens) OVER (ORDER BY begin_us, end_us) AS number FROM edge)
            SELECT min(begin_us) AS begin_us, max(end_us) AS end_us, sum(segments)::bigint AS segments,
                sum(bytes)::bigint AS bytes
            FROM island GROUP BY number ORDER BY min(begin_us) * \(direction)
            LIMIT \(Limits.timelineEntries + 1)
            """
        ).map { row in
            CoverageSpan(
                window: try Self.window(from: row).clamped(to: window),
                segments: try row.decode("segments", as: Int.self), bytes: try row.decode("bytes"))
        }
        return choice == .newest ? spans.reversed() : spans
    }

    /// The time from the first to the last segment of a rendition in the archive.
    func extent(of rendition: Int32) async throws -> TimeWindow? {
        let rows = try await pool.query(
            """
            SELECT first.begin_us, last.end_us FROM
                (SELECT begin_us FROM block WHERE rendition_id = \(rendition)
                    ORDER BY quarter_us LIMIT 1) AS first,
                (SELECT end_us FROM block WHERE rendition_id = \(rendition)
                    ORDER BY quarter_us DESC LIMIT 1) AS last
            """)
        return try rows.first.map(Self.window(from:))
    }

    static func window(from row: Row) throws -> TimeWindow {
        TimeWindow(
            begin: Instant(microseconds: try row.decode("begin_us")),
            end: Instant(microseconds: try row.decode("end_us")))
    }
}
