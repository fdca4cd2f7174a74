import Postgres
package import Timeline

/// What is held and what is missing of a channel between two instants.
package struct TimelineReport: Sendable, Equatable {
    package var spans: [CoverageSpan]
    package var gaps: [Gap]
}

extension Catalogue {
    /// Spans of the leading rendition and the gaps of all, up to the live edge.
    package func timeline(of channel: Channel, in window: TimeWindow) async throws(CatalogueError)
        -> TimelineReport
    {
        let line = try await line(of: channel.row)
        let part = window.clamped(to: TimeWindow(begin: line.forgotten, end: line.watermark))
        return try await asking {
            var coverage: [RenditionCoverage] = []
            for (row, description) in try await describedRenditions(of: channel.row) {
                coverage.append(
                    RenditionCoverage(
                        id: description.id, spans: try await spans(of: row, in: part),
                        life: try await life(of: row)))
            }
            coverage.sort { $0.id < $1.id }
            let losses = try await losses(of: channel.row, in: part)
            let gaps = Gaps.computed(
                meant: try await recordingSpans(of: channel.row, in: part),
                held: coverage.heldWhileAlive(losses), losses: losses)
            return TimelineReport(
                spans: Array((coverage.first?.spans ?? []).prefix(Limits.timelineEntries)),
                gaps: Array(gaps.prefix(Limits.timelineEntries)))
        }
    }

    /// The stretches held nearest to a window, nearest first: what a 404 offers instead.
    package func available(of channel: Int32, near window: TimeWindow) async throws(CatalogueError)
        -> [TimeWindow]
    {
        let line = try await line(of: channel)
        return try await asking {
            guard let leading = try await describedRenditions(of: channel).min(by: { $0.1.id < $1.1.id })
            else {
                return []
            }
            let known = TimeWindow(begin: line.forgotten, end: line.watermark)
            let around = try await neighbourhood(of: window, in: leading.0).clamped(to: known)
            let spans = try await spans(of: leading.0, in: around).map(\.window)
            return Array(
                spans.sorted { $0.distance(to: window) < $1.distance(to: window) }.prefix(Limits.spansOffered)
            )
        }
    }

    /// The quarters held nearest to a window, as one window.
    private func neighbourhood(of window: TimeWindow, in rendition: Int32) async throws -> TimeWindow {
        let middle = (window.begin.microseconds / 2 + window.end.microseconds / 2).clamped(to: Self.plausible)
        let quarters = try await pool.query(
            """
            SELECT quarter_us FROM block WHERE rendition_id = \(rendition)
            ORDER BY abs(quarter_us - \(middle)) LIMIT \(Limits.quartersOffered)
            """
        ).map { try $0.decode("quarter_us", as: Int64.self) }
        let (first, last) = (quarters.min() ?? 0, quarters.max() ?? 0)
        return TimeWindow(
            begin: Instant(microseconds: first), end: Instant(microseconds: last) + Quarter.microseconds)
    }

    /// Far enough for every request, and differences of two such still fit 64 bits.
    private static let plausible: ClosedRange<Int64> = (.min / 4)...(.max / 4)

    /// Contiguous stretches of one rendition, cut to the window.
    ///
    /// Summaries say it for whole quarters; rows are read for quarters that are broken or that the window
    /// cuts.
    private func spans(of rendition: Int32, in window: TimeWindow) async throws -> [CoverageSpan] {
        guard !window.isEmpty else { return [] }
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        return try await pool.query(
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
                SELECT s.start_us, s.start_us + s.duration_us, 1, s.stored_bytes
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
            FROM island GROUP BY number ORDER BY 1 LIMIT \(Limits.timelineEntries)
            """
        ).map { row in
            CoverageSpan(
                window: try Self.window(from: row).clamped(to: window),
                segments: try row.decode("segments", as: Int.self), bytes: try row.decode("bytes"))
        }
    }

    /// From the first segment that is held of a rendition to the end of the last.
    private func life(of rendition: Int32) async throws -> TimeWindow? {
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

    private func recordingSpans(of channel: Int32, in window: TimeWindow) async throws -> WindowSet {
        let rows = try await pool.query(
            """
            SELECT begin_us, coalesce(end_us, \(window.end.microseconds)) AS end_us FROM recording_span
            WHERE channel_id = \(channel) AND begin_us < \(window.end.microseconds)
                AND (end_us IS NULL OR end_us > \(window.begin.microseconds))
            """)
        return WindowSet(try rows.map { try Self.window(from: $0).clamped(to: window) })
    }

    private func losses(of channel: Int32, in window: TimeWindow) async throws -> [Loss] {
        try await pool.query(
            """
            SELECT begin_us, end_us, reason, name FROM loss LEFT JOIN rendition USING (rendition_id)
            WHERE loss.channel_id = \(channel) AND begin_us < \(window.end.microseconds)
                AND end_us > \(window.begin.microseconds)
            ORDER BY begin_us LIMIT \(Limits.timelineEntries)
            """
        ).compactMap { row in
            guard let reason = GapReason(rawValue: try row.decode("reason")) else { return nil }
            return Loss(
                window: try Self.window(from: row), reason: reason,
                rendition: try row.decode("name", as: String?.self).flatMap(RenditionID.init))
        }
    }

    private static func window(from row: Row) throws -> TimeWindow {
        TimeWindow(
            begin: Instant(microseconds: try row.decode("begin_us")),
            end: Instant(microseconds: try row.decode("end_us")))
    }
}

/// What is held of one rendition.
private struct RenditionCoverage {
    var id: RenditionID
    var spans: [CoverageSpan]
    /// Nil when nothing is held of it.
    var life: TimeWindow?
}

extension [RenditionCoverage] {
    /// What each rendition holds, where a rendition that the source did not have yet, or has no more, lacks
    /// only what all others lack.
    ///
    /// A loss of its own says that it was there.
    fileprivate func heldWhileAlive(_ losses: [Loss]) -> [RenditionID: WindowSet] {
        let anywhere = WindowSet(flatMap { $0.spans.map(\.window) })
        var held: [RenditionID: WindowSet] = [:]
        for rendition in self {
            let own = losses.filter { $0.rendition == rendition.id }.map(\.window)
            let alive = WindowSet(own + (rendition.life.map { [$0] } ?? []))
            let absent = anywhere.subtracting(alive).windows
            held[rendition.id] = WindowSet(rendition.spans.map(\.window) + absent)
        }
        return held
    }
}

extension TimeWindow {
    /// Microseconds between two windows; zero when they touch.
    fileprivate func distance(to other: TimeWindow) -> Int64 {
        Swift.max(0, Swift.max(begin - other.end, other.begin - end))
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
