import Timeline

/// What is known of all segments of a block, so that an answer need not look at each.
struct BlockSummary: Sendable {
    /// Starts and ends go up.
    var isOrdered = true
    /// Ordered, without a hole, each of them playable, and with one state and one epoch.
    var isUniform = false
    /// Every segment has a number.
    var isPublished = true
    /// Every segment begins with what a player can begin at.
    var isIndependent = true
    /// A segment waits for its key.
    var waitsForKey = false
    /// Microseconds of the longest segment.
    var longest: Int64 = 0
    /// Microseconds of all segments.
    var duration: Int64 = 0
    /// Microseconds of the pauses between segments that count as missing.
    var missing: Int64 = 0
    /// By how much starts run away from the first start and the durations since, microseconds: least and most.
    var drift: ClosedRange<Int64> = 0...0

    init(_ segments: [RecordedSegment], formats: [Int32: SegmentFormat]) {
        guard let first = segments.first else { return }
        var isUniform = formats[first.formatID]?.isPlayable ?? false
        var last: RecordedSegment?
        for segment in segments {
            if let last {
                let pause = segment.start - last.end
                isOrdered = isOrdered && segment.start >= last.start && segment.end >= last.end
                isUniform =
                    isUniform && pause <= Limits.holeTolerance && segment.formatID == last.formatID
                    && segment.discontinuitySequence == last.discontinuitySequence
                if pause > Limits.grain { missing += pause }
            }
            let drifted = segment.start - (first.start + duration)
            drift = min(drift.lowerBound, drifted)...max(drift.upperBound, drifted)
            duration += segment.duration
            longest = max(longest, segment.duration)
            isPublished = isPublished && segment.number != nil
            isIndependent = isIndependent && segment.flags.contains(.independent)
            waitsForKey = waitsForKey || segment.flags.contains(.keyPending)
            last = segment
        }
        self.isUniform = isUniform && isOrdered && !waitsForKey
    }
}
