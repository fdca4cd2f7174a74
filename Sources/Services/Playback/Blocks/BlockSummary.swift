import Timeline

/// What is true of all segments of a block, so that an answer does not have to look at each one.
struct BlockSummary: Sendable {
    /// Starts and ends increase.
    var isOrdered = true
    /// Ordered, without holes, all playable, and with a single format and discontinuity sequence.
    var isUniform = false
    /// Every segment has a number.
    var isPublished = true
    /// Every segment starts with an independent frame.
    var isIndependent = true
    /// At least one segment waits for its key.
    var waitsForKey = false
    /// The longest media of a segment, microseconds.
    var longest: Int64 = 0
    /// The sum of how long the media play, microseconds.
    var duration: Int64 = 0
    /// The sum of the pauses between segments that count as missing, microseconds.
    var missing: Int64 = 0
    /// How far starts deviate from the first start plus the media since then, microseconds: minimum and
    /// maximum.
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
                    && segment.flags.contains(.spliced) == last.flags.contains(.spliced)
                if pause > Limits.grain { missing += pause }
            }
            let drifted = segment.start - (first.start + duration)
            drift = min(drift.lowerBound, drifted)...max(drift.upperBound, drifted)
            duration += segment.mediaDuration
            longest = max(longest, segment.mediaDuration)
            isPublished = isPublished && segment.number != nil
            isIndependent = isIndependent && segment.flags.contains(.independent)
            waitsForKey = waitsForKey || segment.flags.contains(.keyPending)
            last = segment
        }
        self.isUniform = isUniform && isOrdered && !waitsForKey
    }
}
