import Postgres
package import Timeline

/// What is held and what is missing of a channel between two instants.
package struct TimelineReport: Sendable, Equatable {
    package var spans: [CoverageSpan]
    package var gaps: [Gap]
}

extension Catalogue {
    /// Spans of the leading rendition and the gaps of all, up to the live edge.
    package func timeline(of channel: Channel, in window: TimeWindow) async throws(CatalogueError) -> TimelineReport {
        let line = try await line(of: channel.row)
        let known = TimeWindow(begin: line.forgotten, end: line.watermark)
        return try await asking {
            let part = window.clamped(to: known)
            var held: [RenditionID: WindowSet] = [:]
            var leading: [CoverageSpan] = []
            for (row, description) in try await describedRenditions(of: channel.row).sorted(by: { $0.1.id < $1.1.id }) {
                let spans = try await islands(of: row, in: part)
                if held.isEmpty { leading = spans }
                held[description.id] = WindowSet(spans.map(\.window))
            }
            let meant = try await recordingSpans(of: channel.row, in: part)
            let gaps = Gaps.computed(meant: meant, held: held, losses: try await losses(of: channel.row, in: part))
            return TimelineReport(
                spans: Array(leading.prefix(Limits.timelineEntries)), gaps: Array(gaps.prefix(Limits.timelineEntries)))
        }
    }

    /// The stretches held nearest to a window, nearest first: what a 404 offers instead.
    package func available(of channel: Int32, near window: TimeWindow) async throws(CatalogueError) -> [TimeWindow] {
        let line = try await line(of: channel)
        return try await asking {
            guard let leading = try await describedRenditions(of: channel).min(by: { $0.1.id < $1.1.id }) else {
                return []
            }
            let middle = window.begin.microseconds / 2 + window.end.microseconds / 2
            let nearest = try await pool.query(
                """
                SELECT quarter_us FROM block WHERE rendition_id = \(leading.0)
                ORDER BY abs(quarter_us - \(middle)) LIMIT \(Self.quartersOffered)
                """
            ).map { try $0.decode("quarter_us", as: Int64.self) }
            guard let first = nearest.min(), let last = nearest.max() else { return [] }
            let around = TimeWindow(
                begin: max(line.forgotten, Instant(microseconds: first)),
                end: min(line.watermark, Instant(microseconds: last + Quarter.microseconds)))
            let spans = try await islands(of: leading.0, in: around).map(\.window)
            return spans.sorted { distance($0, window) < distance($1, window) }.prefix(Self.spansOffered).map { $0 }
        }
    }

    private static let quartersOffered = 192
    private static let spansOffered = 5

    private func distance(_ span: TimeWindow, _ window: TimeWindow) -> Int64 {
        max(0, max(span.begin - window.end, window.begin - span.end))
    }

    /// Contiguous stretches of one rendition, cut to the window.
    private func islands(of rendition: Int32, in window: TimeWindow) async throws -> [CoverageSpan] {
        guard !window.isEmpty else { return [] }
        return try await pool.query(
            """
            WITH entry AS (
                SELECT start_us, start_us + duration_us AS end_us, stored_bytes,
                    (start_us - lag(start_us + duration_us) OVER (ORDER BY start_us) <= 1000) IS NOT TRUE AS opens
                FROM segment
                WHERE rendition_id = \(rendition) AND start_us < \(window.end.microseconds)
                    AND start_us > \((window.begin - Self.longestSegment).microseconds)
                    AND start_us + duration_us > \(window.begin.microseconds)),
            numbered AS (SELECT *, count(*) FILTER (WHERE opens) OVER (ORDER BY start_us) AS island FROM entry)
            SELECT min(start_us) AS begin_us, max(end_us) AS end_us, count(*) AS segments, sum(stored_bytes)::bigint AS bytes
            FROM numbered GROUP BY island ORDER BY 1 LIMIT \(Limits.timelineEntries)
            """
        ).map { row in
            let whole = TimeWindow(
                begin: Instant(microseconds: try row.decode("begin_us")),
                end: Instant(microseconds: try row.decode("end_us")))
            return CoverageSpan(
                window: whole.clamped(to: window), segments: try row.decode("segments", as: Int.self),
                bytes: try row.decode("bytes"))
        }
    }

    private func recordingSpans(of channel: Int32, in window: TimeWindow) async throws -> WindowSet {
        let rows = try await pool.query(
            """
            SELECT begin_us, coalesce(end_us, \(window.end.microseconds)) AS end_us FROM recording_span
            WHERE channel_id = \(channel) AND begin_us < \(window.end.microseconds)
                AND (end_us IS NULL OR end_us > \(window.begin.microseconds))
            """)
        return WindowSet(
            try rows.map { row in
                TimeWindow(
                    begin: Instant(microseconds: try row.decode("begin_us")),
                    end: Instant(microseconds: try row.decode("end_us"))
                ).clamped(to: window)
            })
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
                window: TimeWindow(
                    begin: Instant(microseconds: try row.decode("begin_us")),
                    end: Instant(microseconds: try row.decode("end_us"))),
                reason: reason, rendition: try row.decode("name", as: String?.self).flatMap(RenditionID.init))
        }
    }
}
