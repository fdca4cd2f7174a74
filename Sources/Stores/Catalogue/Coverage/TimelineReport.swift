import Postgres
package import Timeline

/// What the archive holds and what is missing of a channel within a window.
package struct TimelineReport: Sendable, Equatable {
    package var spans: [CoverageSpan]
    package var gaps: [Gap]
    /// Those that lie in the window, in the order of their begins.
    package var markers: [RecordedMarker] = []
    /// In the order of their begins.
    package var cueTags: [RecordedCueTags] = []
    /// Where the report ends because it would list more than `Limits.timelineEntries` of something; nil if it
    /// has all of the window.
    package var end: Instant?
}

extension Catalogue {
    /// Returns the spans of the leading rendition and the gaps of all renditions, up to the live edge, and
    /// the markers.
    ///
    /// If the leading rendition has nothing for a minute or longer, because the source replaced its variants,
    /// the next rendition of its kind is used.
    ///
    /// A gap of the reason `trackMissing` is held, and in a span.
    ///
    /// If nothing has come for three target durations, there is a gap from the live edge to `now`, which
    /// still grows; `reason` says why nothing comes. Without `now` there is none.
    package func timeline(
        of channel: Channel, in window: TimeWindow, now: Instant? = nil,
        growing reason: GapReason = .recorderDown,
    ) async throws(CatalogueError) -> TimelineReport {
        let publishedHead = try await publishedHead(of: channel.row)
        return try await mappingErrors {
            let begin = try await firstGapStart(of: channel.row)
            var growing: TimeWindow?
            if let now { growing = try await growingGap(of: channel.row, publishedHead, now: now) }
            let end = growing?.end ?? publishedHead.watermark
            var part = window.clamped(to: TimeWindow(begin: begin, end: max(begin, end)))
            let loss = growing.map { Loss(window: $0, reason: reason) }
            var parts = try await materials(of: channel.row, in: part, growing: loss)
            let whole = part.end
            if let cut = parts.completeUntil {
                part = TimeWindow(begin: part.begin, end: cut)
                parts = try await materials(of: channel.row, in: part, growing: loss)
            }
            let spans: [CoverageSpan]
            (spans, part.end) = try await leadingSpans(parts.coverage, in: part)
            return TimelineReport(
                spans: spans, gaps: Array(parts.gaps.within(part).prefix(Limits.timelineEntries)),
                markers: parts.markers.filter { $0.begin < part.end },
                cueTags: parts.cueTags.filter { $0.begin < part.end },
                end: part.end < whole ? part.end : nil)
        }
    }

    /// The spans of the first rendition; where it has long holes, those of the next renditions of its kind.
    ///
    /// - Returns: also up to where they are complete, as only so many holes are filled and spans listed
    private func leadingSpans(
        _ coverage: [RenditionCoverage], in part: TimeWindow,
    ) async throws -> (spans: [CoverageSpan], end: Instant) {
        guard let first = coverage.first else { return ([], part.end) }
        var (spans, end) = (first.spans, part.end)
        let others = coverage.dropFirst().filter { $0.id.kind == first.id.kind }
        // Each rendition has a share, and fills at least one hole, so that the report makes progress.
        let share = max(1, Limits.replacedVariants / max(1, others.count))
        for rendition in others {
            let open = WindowSet([part]).subtracting(WindowSet(spans.map(\.window))).windows
                .filter { $0.microseconds >= Limits.replacedVariant }
            let holes = WindowSet(open).intersection(WindowSet(rendition.spans.map(\.window)))
                .intersection(WindowSet([TimeWindow(begin: part.begin, end: end)])).windows
            for hole in holes.prefix(share) {
                spans += try await self.spans(of: rendition.row, in: hole)
            }
            if holes.count > share { end = holes[share].begin }
        }
        let joined = CoverageSpan.joined(spans.filter { $0.window.begin < end })
        if joined.count > Limits.timelineEntries { end = joined[Limits.timelineEntries].window.begin }
        return (Array(joined.prefix(Limits.timelineEntries)), end)
    }

    private func materials(
        of channel: Int32, in part: TimeWindow, growing: Loss?,
    ) async throws -> TimelineMaterials {
        var materials = TimelineMaterials(part: part)
        var lacking: [RenditionID: [TimeWindow]] = [:]
        for (row, description) in try await describedRenditions(of: channel) {
            let runs = try await trackRuns(of: row, in: part)
            materials.noteLimit(of: runs.map(\.window))
            lacking[description.id] = runs.lackingTracks()
            let spans = try await spans(of: row, in: part)
            materials.noteLimit(of: spans.map(\.window))
            materials.coverage.append(
                RenditionCoverage(
                    id: description.id, row: row, spans: spans, extent: try await extent(of: row)))
        }
        materials.coverage.sort { $0.id < $1.id }
        var losses = try await losses(of: channel, in: part)
        materials.noteLimit(of: losses.map(\.window))
        if let growing { losses.append(growing) }
        materials.gaps = Gaps.computed(
            intended: try await recordingSpans(of: channel, in: part),
            held: materials.coverage.coveredWithinExtent(losses), losses: losses
        ).adding(lacking, in: part)
        materials.noteLimit(of: materials.gaps.map(\.window))
        try await addMarkers(of: channel, to: &materials)
        return materials
    }

    private func addMarkers(of channel: Int32, to materials: inout TimelineMaterials) async throws {
        let limit = Limits.timelineEntries
        let markers = try await markers(of: channel, in: materials.part, limit: limit + 1)
        materials.noteLimit(of: markers.map { TimeWindow(begin: $0.begin, end: $0.begin) })
        materials.markers = Array(markers.prefix(limit))
        let (cueTags, begins) = try await cueTags(of: channel, in: materials.part)
        materials.noteLimit(of: begins.map { TimeWindow(begin: $0, end: $0) })
        materials.cueTags = cueTags
    }

    /// The time since the live edge; nil while it moves, or before recording began.
    func growingGap(
        of channel: Int32, _ head: PublishedHead, now: Instant,
    ) async throws -> TimeWindow? {
        let patience =
            3 * Int64(max(head.targetSeconds, Limits.minimumTargetSeconds)) * Microseconds.perSecond
        var begin = head.watermark
        var (lastMove, lag) = (begin, Int64(0))
        if begin.microseconds > 0 {
            let arrivals = try await arrivals(of: channel, before: head.end)
            (lastMove, lag) = (arrivals.lastMove(watermark: begin), arrivals.lag)
        } else {
            let rows = try await pool.query(
                "SELECT min(begin_us) AS begin_us FROM recording_span WHERE channel_id = \(channel)")
            guard let first = try rows.first?.decode("begin_us", as: Int64?.self) else { return nil }
            begin = Instant(microseconds: first)
            lastMove = begin
        }
        guard now - lastMove > patience, now - lag > begin else { return nil }
        return TimeWindow(begin: begin, end: now - lag)
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
            ORDER BY begin_us LIMIT \(Limits.timelineEntries + 1)
            """
        ).compactMap { row in
            guard let reason = GapReason(rawValue: try row.decode("reason")) else { return nil }
            return Loss(
                window: try Self.window(from: row), reason: reason,
                rendition: try row.decode("name", as: String?.self).flatMap(RenditionID.init))
        }
    }
}

/// What a report is made of.
private struct TimelineMaterials {
    let part: TimeWindow
    var coverage: [RenditionCoverage] = []
    var gaps: [Gap] = []
    var markers: [RecordedMarker] = []
    var cueTags: [RecordedCueTags] = []
    /// The earliest begin of an entry beyond `Limits.timelineEntries` of any list; nil if no list was cut.
    ///
    /// The report is not complete after it.
    private(set) var completeUntil: Instant?

    init(part: TimeWindow) {
        self.part = part
    }

    /// Takes note of a list that was read up to its limit, in the order of its begins.
    mutating func noteLimit(of windows: [TimeWindow]) {
        guard windows.count > Limits.timelineEntries else { return }
        let begin = windows[Limits.timelineEntries].begin
        guard begin > part.begin, begin < part.end else { return }
        completeUntil = min(completeUntil ?? begin, begin)
    }
}

extension CoverageSpan {
    /// Spans that touch, give or take a millisecond, as one, in order.
    fileprivate static func joined(_ spans: [CoverageSpan]) -> [CoverageSpan] {
        spans.sorted { $0.window.begin < $1.window.begin }.reduce(into: []) { joined, next in
            guard let last = joined.last, next.window.begin <= last.window.end + Microseconds.perMillisecond
            else { return joined.append(next) }
            let window = TimeWindow(begin: last.window.begin, end: max(last.window.end, next.window.end))
            joined[joined.count - 1] = CoverageSpan(
                window: window, segments: last.segments + next.segments, bytes: last.bytes + next.bytes)
        }
    }
}

extension [Gap] {
    /// What of them is in a window.
    fileprivate func within(_ part: TimeWindow) -> [Gap] {
        filter { $0.window.overlaps(part) }.map { gap in
            Gap(window: gap.window.clamped(to: part), reason: gap.reason, rendition: gap.rendition)
        }
    }

    /// Adds what is held but left out of answers, as it lacks a kind of track.
    fileprivate func adding(_ lacking: [RenditionID: [TimeWindow]], in part: TimeWindow) -> [Gap] {
        let more = lacking.flatMap { id, windows in
            windows.filter { $0.overlaps(part) }.map { window in
                Gap(
                    window: window.clamped(to: part), reason: .trackMissing,
                    rendition: lacking.count > 1 ? id : nil)
            }
        }
        return (self + more).sorted {
            ($0.window.begin, $0.rendition?.description ?? "") < (
                $1.window.begin, $1.rendition?.description ?? ""
            )
        }
    }
}
