import Catalogue
import Timeline

/// Computes discontinuity sequence numbers that agree between all renditions of an answer.
///
/// Usually a segment has the number that was recorded. But the archive may contain a hole or a change of
/// format within one recorded sequence, for example if a segment arrived late or was lost in
/// one rendition only. Unpublished segments state their own discontinuities. Every rendition then gets
/// an additional boundary at that place, before the first segment whose middle lies after it. Growing
/// playlists list the published log, in which a sequence has no holes.
struct DiscontinuitySequences {
    private struct Boundary: Hashable {
        var discontinuitySequence: Int32
        var begin: Instant
    }

    private var extra: [Boundary] = []

    init() {}

    /// Finds the additional boundaries.
    init(of renditions: [ListedRendition], formats: [Int32: SegmentFormat]) {
        var found: Set<Boundary> = []
        for rendition in renditions {
            var last: RecordedSegment?
            for piece in rendition.segments.pieces {
                // A uniform slice contains no boundary.
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

    /// Counts the additional boundaries up to an instant of a recorded sequence, plus those of earlier
    /// sequences.
    private func count(upTo instant: Instant, in discontinuitySequence: Int32) -> Int {
        extra.indices.first(near: extra.count / 2) {
            (extra[$0].discontinuitySequence, extra[$0].begin) > (discontinuitySequence, instant)
        }
    }

    private static func isBroken(
        _ a: RecordedSegment, _ b: RecordedSegment, _ formats: [Int32: SegmentFormat],
    ) -> Bool {
        if b.start - a.end > Limits.holeTolerance { return true }
        if b.flags.contains(.discontinuity) { return true }
        if a.flags.contains(.spliced) != b.flags.contains(.spliced) { return true }
        guard a.formatID != b.formatID, let before = formats[a.formatID], let after = formats[b.formatID]
        else {
            return false
        }
        return !after.followsSeamlessly(before)
    }
}
