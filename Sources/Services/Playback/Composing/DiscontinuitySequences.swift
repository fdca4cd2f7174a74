import Catalogue
import Timeline

/// Counts discontinuities so that all renditions of an answer agree.
///
/// A segment's domain is its epoch. Where the archive shows a hole or another initialization section inside an epoch
/// (a segment that came late, or is lost, beside one that is not), every rendition gets one more boundary there, at the
/// first segment whose middle lies behind it. Growing lists read the published log, where an epoch has no holes.
struct DiscontinuitySequences {
    private struct Boundary: Hashable {
        var discontinuitySequence: Int32
        var begin: Instant
    }

    private var extra: [Boundary] = []

    init() {}

    /// Finds the boundaries inside epochs.
    init(of lists: [ListedRendition], formats: [Int32: SegmentFormat]) {
        var found: Set<Boundary> = []
        for list in lists {
            var last: RecordedSegment?
            for piece in list.segments.pieces {
                // Within a uniform piece there is none.
                let isUniform = piece.block.summary.isUniform
                for segment in isUniform ? piece.segments.prefix(1) : piece.segments {
                    if let last, last.discontinuitySequence == segment.discontinuitySequence,
                        Self.isBroken(last, segment, formats)
                    {
                        found.insert(
                            Boundary(
                                discontinuitySequence: segment.discontinuitySequence, begin: segment.start))
                    }
                    last = segment
                }
                last = piece.last
            }
        }
        extra = found.sorted { ($0.discontinuitySequence, $0.begin) < ($1.discontinuitySequence, $1.begin) }
    }

    /// The discontinuity sequence number of a segment.
    func sequence(of segment: RecordedSegment) -> Int64 {
        if extra.isEmpty { return Int64(segment.discontinuitySequence) }
        let middle = segment.start + segment.duration / 2
        return Int64(segment.discontinuitySequence)
            + Int64(count(upTo: middle, in: segment.discontinuitySequence))
    }

    /// How many boundaries lie before an instant of an epoch, by halving.
    private func count(upTo instant: Instant, in discontinuitySequence: Int32) -> Int {
        var (low, high) = (0, extra.count)
        while low < high {
            let middle = (low + high) / 2
            if (extra[middle].discontinuitySequence, extra[middle].begin) <= (discontinuitySequence, instant)
            {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private static func isBroken(
        _ a: RecordedSegment, _ b: RecordedSegment, _ formats: [Int32: SegmentFormat],
    ) -> Bool {
        if b.start - a.end > Limits.holeTolerance { return true }
        guard a.formatID != b.formatID, let before = formats[a.formatID], let after = formats[b.formatID]
        else {
            return false
        }
        return before.container != after.container || before.tracks != after.tracks
            || before.initName != after.initName
    }
}
