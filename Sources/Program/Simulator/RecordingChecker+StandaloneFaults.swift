import Timeline

/// Gaps that are filled later, and dates that jump ahead.
extension RecordingChecker {
    /// When a segment can first be fetched.
    ///
    /// Nil if it was listed as a gap at first and a process that does not know this may have started since.
    func availableFrom(_ segment: Encoder.Segment) -> Instant? {
        guard let gap = scenario.fault(.gap, of: 0, at: segment.listedAt) else { return segment.listedAt }
        let filled = segment.listedAt + gap.amount
        let span = TimeWindow(begin: segment.listedAt - 60_000_000, end: filled + 60_000_000)
        let isAlone = !scenario.faults.contains { $0.kind != .gap && $0.span.overlaps(span) }
        return isAlone ? filled : nil
    }

    /// Where a span of true time lies on the timeline, which jumps as the dates do.
    func onTimeline(_ span: TimeWindow) -> TimeWindow {
        // What begins with a jump lies on both sides of it.
        TimeWindow(
            begin: span.begin + encoders[0].dateOffset(at: span.begin - 1),
            end: span.end + encoders[0].dateOffset(at: span.end))
    }

    /// Whether the error of a segment's start, microseconds, comes from a date jump not followed yet.
    ///
    /// The recorder follows a jump at the fourth date, because up to three dates may simply be wrong.
    func isNotFollowedYet(
        _ index: Int, of rendition: RenditionID, _ encoder: Encoder, _ error: Int64,
    ) -> Bool {
        let later = encoder.step(of: rendition).later
        return encoder.dateJumps.contains { jump in
            let first = encoder.segments.partitioningIndex { $0.begin + later >= jump.span.begin }
            return (first..<first + 3).contains(index)
                && (error + jump.amount).magnitude <= encoder.settings.duration / 2
        }
    }
}
