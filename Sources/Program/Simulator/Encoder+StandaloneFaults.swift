import Timeline

/// Gaps that are filled later, and dates that jump ahead.
extension Encoder {
    /// Whether a segment is listed as a gap at an instant, and not there.
    func isGap(_ index: Int, at now: Instant) -> Bool {
        let listed = segments[index].listedAt
        return gaps.contains { $0.span.contains(listed) && now < listed + $0.amount }
    }

    /// By how much dates have jumped at an instant, microseconds.
    func dateOffset(at instant: Instant) -> Int64 {
        dateJumps.reduce(0) { $0 + ($1.span.begin <= instant ? $1.amount : 0) }
    }

    /// Where a segment belongs on a timeline that follows the jumps.
    func place(of index: Int, _ rendition: RenditionID) -> Instant {
        let begin = begin(of: index, rendition)
        return begin + dateOffset(at: begin)
    }
}

extension Encoder.Settings {
    /// Whether the result of such a fault can be told exactly.
    func allows(_ kind: Fault.Kind) -> Bool {
        kind == .dateJump
            ? dates == .right && statedDurations == .exact : [.exact, .rounded].contains(statedDurations)
    }
}
