import Timeline

/// What is true of all segments of a block, so that an answer does not have to look at each one.
struct BlockSummary: Sendable {
    /// Starts and ends increase.
    var isOrdered = true
    /// Ordered, without holes, all playable, with a single format and discontinuity sequence, and without
    /// segments that say their own discontinuity.
    var isUniform = false
    /// Every segment has a number.
    var isPublished = true
    /// Every segment starts with an independent frame.
    var isIndependent = true
    /// At least one segment waits for its key.
    var waitsForKey = false
    /// Key frames are known of a segment that is not encrypted.
    var hasKeyFrames = false
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
        // A quarter may have a thousand segments: flags are gathered as bits, and a span copies no segment.
        let rows = segments.span
        var (all, any) = (first.flags.rawValue, first.flags.rawValue)
        var (lowest, highest): (Int64, Int64) = (0, 0)
        var (lastStart, lastEnd) = (first.start, first.start)
        for index in rows.indices {
            let (start, end) = (rows[index].start, rows[index].end)
            let media = rows[index].mediaDuration
            if index > 0 {
                let pause = start - lastEnd
                isOrdered = isOrdered && start >= lastStart && end >= lastEnd
                isUniform =
                    isUniform && pause <= Limits.holeTolerance
                    && rows[index].formatID == first.formatID
                    && rows[index].discontinuitySequence == first.discontinuitySequence
                if pause > Limits.timeTolerance { missing += pause }
            }
            let drifted = start - (first.start + duration)
            (lowest, highest) = (min(lowest, drifted), max(highest, drifted))
            duration += media
            longest = max(longest, media)
            isPublished = isPublished && rows[index].number != nil
            all &= rows[index].flags.rawValue
            any |= rows[index].flags.rawValue
            (lastStart, lastEnd) = (start, end)
        }
        drift = lowest...highest
        let (common, found) = (SegmentFlags(rawValue: all), SegmentFlags(rawValue: any))
        isIndependent = common.contains(.independent)
        waitsForKey = found.contains(.keyPending)
        hasKeyFrames =
            found.contains(.hasKeyFrames)
            && (formats.values.allSatisfy(\.isClear)
                || segments.contains {
                    $0.flags.contains(.hasKeyFrames) && formats[$0.formatID]?.isClear ?? false
                })
        let isMixed =
            found.contains(.spliced) && !common.contains(.spliced) || found.contains(.discontinuity)
        self.isUniform = isUniform && isOrdered && !waitsForKey && !isMixed
    }
}
