import Postgres
import Timeline

/// A part of a rendition without a hole, whose segments have the same container and tracks.
struct TrackRun: FormatRun {
    var window: TimeWindow
    var format: SegmentFormat
}

extension [TrackRun] {
    /// The short runs that answers leave out, as they lack a kind of track that those around them have.
    ///
    /// Answers are gone through one after the other: a long run with other tracks begins the next one.
    func lackingTracks() -> [TimeWindow] {
        var lacking: [TimeWindow] = []
        var rest = self[...]
        while var reference = rest.reference?.format {
            var isBegun = false
            answer: while let run = rest.first {
                if run.format.joins(reference) {
                    if reference.tracks.isEmpty { reference = run.format }
                    isBegun = true
                } else if run.format.lacksTracks(of: reference), !run.isLong {
                    lacking.append(run.window)
                } else if isBegun {
                    break answer
                }
                rest.removeFirst()
            }
        }
        return lacking
    }
}

extension Catalogue {
    /// The runs of a rendition in and beside a window, by their begins; at most `Limits.timelineEntries` and
    /// one more, which tells that there are more.
    ///
    /// Only quarters that are not contiguous are read segment by segment, and their neighbours as a whole:
    /// elsewhere the format does not change.
    func trackRuns(of rendition: Int32, in window: TimeWindow) async throws -> [TrackRun] {
        guard !window.isEmpty else { return [] }
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        return try await pool.query(
            """
            WITH near AS (
                SELECT quarter_us, begin_us, end_us, contiguous,
                    bool_or(NOT contiguous) OVER (ORDER BY quarter_us ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
                        AS changes
                FROM block WHERE rendition_id = \(rendition)
                    AND quarter_us > \(begin - 2 * Quarter.microseconds - Self.longestSegment)
                    AND quarter_us < \(end + Quarter.microseconds)),
            entry AS (
                SELECT n.begin_us, n.end_us, first.state_id
                FROM near n CROSS JOIN LATERAL (
                    SELECT s.state_id FROM segment s
                    WHERE s.rendition_id = \(rendition) AND s.start_us >= n.quarter_us
                        AND s.start_us < n.quarter_us + \(Quarter.microseconds)
                    ORDER BY s.start_us LIMIT 1) AS first
                WHERE n.changes AND n.contiguous
                UNION ALL
                SELECT s.start_us, s.start_us + s.duration_us, s.state_id
                FROM near n JOIN segment s ON s.rendition_id = \(rendition) AND s.start_us >= n.quarter_us
                    AND s.start_us < n.quarter_us + \(Quarter.microseconds)
                WHERE NOT n.contiguous),
            edge AS (
                SELECT begin_us, end_us, container, tracks,
                    (begin_us - lag(end_us) OVER near_by <= \(Self.runTolerance) AND tracks = lag(tracks) OVER near_by
                        AND container = lag(container) OVER near_by) IS NOT TRUE AS opens
                FROM entry JOIN state USING (state_id) WINDOW near_by AS (ORDER BY begin_us)),
            island AS (
                SELECT *, count(*) FILTER (WHERE opens) OVER (ORDER BY begin_us) AS number FROM edge)
            SELECT min(begin_us) AS begin_us, max(end_us) AS end_us, min(container) AS container,
                min(tracks) AS tracks
            FROM island GROUP BY number ORDER BY 1 LIMIT \(Limits.timelineEntries + 1)
            """
        ).compactMap { row in
            guard let container = SegmentExtension(rawValue: try row.decode("container")) else { return nil }
            return TrackRun(
                window: try Self.window(from: row),
                format: SegmentFormat(container: container, tracks: try row.decode("tracks")))
        }
    }

    /// Time between two segments that divides no run, microseconds.
    private static var runTolerance: Int64 { 250_000 }
}
