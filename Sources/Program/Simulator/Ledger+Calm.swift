import Timeline

/// Gaps that are filled later, and dates that jump ahead.
extension Ledger {
    /// When a segment can be fetched first.
    ///
    /// Nil where it was a gap at first and a process may have begun since, which does not know that.
    func offered(_ segment: Encoder.Segment) -> Instant? {
        guard let gap = scenario.fault(.gap, of: 0, at: segment.listedAt) else { return segment.listedAt }
        let filled = segment.listedAt + gap.amount
        let span = TimeWindow(begin: segment.listedAt - 60_000_000, end: filled + 60_000_000)
        let isAlone = !scenario.faults.contains { $0.kind != .gap && $0.span.overlaps(span) }
        return isAlone ? filled : nil
    }

    /// Where a span of true time lies on the time line, which jumps as the dates do.
    func onLine(_ span: TimeWindow) -> TimeWindow {
        // What begins with a jump lies on both sides of it.
        TimeWindow(
            begin: span.begin + encoders[0].lead(at: span.begin - 1),
            end: span.end + encoders[0].lead(at: span.end))
    }

    /// Whether a segment that is so far off is one of the first three behind a jump, and lies where it would
    /// lie without it: until the fourth date, a jump may be a wrong date.
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
