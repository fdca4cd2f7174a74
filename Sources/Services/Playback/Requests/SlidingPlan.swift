package import Catalogue
package import Timeline

/// The newest part of the published log, or one that lies so much later than live.
package struct SlidingPlan: Sendable {
    /// Nothing that ends later is listed.
    package var edge: Instant
    /// What the viewer wants, microseconds; nil takes the shortest list that players like.
    package var length: Int64?

    /// Follows the live edge at a distance.
    ///
    /// A channel that stands still does not hold a delayed viewer: what is recorded
    /// goes on at the pace of the clock. One whose end lies `lag` behind the clock does not stand still.
    package init(length: Int64?, delay: Int64, publishedHead: PublishedHead, lag: Int64, now: Instant) {
        self.length = length
        let settling = Limits.settlingTargets * Int64(publishedHead.targetSeconds) * Microseconds.perSecond
        let byClock = min(publishedHead.watermark, now - lag - settling - delay)
        edge = delay == 0 ? publishedHead.watermark : max(publishedHead.watermark - delay, byClock)
    }

    /// What has to be read before the edge, microseconds.
    func lookBack(_ publishedHead: PublishedHead) -> Int64 {
        let target = Int64(max(1, publishedHead.targetSeconds)) * Microseconds.perSecond
        return max(length ?? 0, Limits.slidingMicroseconds, Int64(Limits.slidingSegments) * target) + 2
            * target
    }

    /// Whether the record reaches back to where the list of each rendition begins.
    func isSatisfied(by record: HeldSegments) -> Bool {
        let candidates = present(record)
        return !candidates.isEmpty && candidates.allSatisfy { shortestBegin(in: $0.segments) != nil }
    }

    /// Composes the list; `record` is of the published log, and nothing is appended to it any more when it is over.
    package func composed(_ record: HeldSegments, isOver: Bool = false) -> PlaylistContents {
        var renditions = present(record)
        for index in renditions.indices {
            let begin = begin(in: renditions[index].segments)
            renditions[index].segments = renditions[index].segments.ending(after: begin)
        }
        let begin = PlaylistContents.leading(of: renditions)?.segments.first?.start ?? edge
        let window = TimeWindow(begin: begin, end: max(begin, edge))
        let measured = renditions.map(\.targetSeconds).max() ?? 1
        return PlaylistContents(
            plan: WindowPlan(kind: .sliding, window: window, isFixed: false), window: window,
            isEnded: isOver && edge >= record.publishedHead.watermark,
            isFinal: false, targetSeconds: max(measured, record.publishedHead.targetSeconds),
            renditions: renditions,
            known: record.renditions.map(\.id), formats: record.formats, writesGaps: false,
            discontinuities: DiscontinuitySequences())
    }

    /// What a rendition's list holds ends later than this.
    ///
    /// It depends on that rendition alone and never moves back, as the log only grows: so neither do the counters.
    private func begin(in segments: SegmentList) -> Instant {
        let shortest = shortestBegin(in: segments) ?? segments.first?.start ?? edge
        return length.map { min(shortest, edge - $0) } ?? shortest
    }

    /// Where the shortest list that players like begins, whatever holes lie in it; nil when there is not enough.
    private func shortestBegin(in segments: SegmentList) -> Instant? {
        var held: Int64 = 0
        for (count, segment) in segments.backwards.enumerated() {
            held += segment.duration
            if count + 1 >= Limits.slidingSegments, held >= Limits.slidingMicroseconds {
                return segment.start
            }
        }
        return nil
    }

    /// The renditions that go on to the edge; all of them when the edge lies in a hole.
    private func present(_ record: HeldSegments) -> [ListedRendition] {
        let listed = listed(record)
        let recent = edge - lookBack(record.publishedHead)
        let present = listed.filter { $0.segments.last.map { $0.end > recent } ?? false }
        return present.isEmpty ? listed : present
    }

    /// The segments up to the edge, from the last change of a container on: a list must not mix them.
    private func listed(_ record: HeldSegments) -> [ListedRendition] {
        record.renditions.map { rendition in
            let ended = rendition.segments.ending(notAfter: edge)
            let container = ended.last.flatMap { record.formats[$0.formatID]?.container }
            let segments = ended.behindLast { record.formats[$0]?.container != container }
            return ListedRendition(description: rendition.description, segments: segments)
        }.filter { !$0.segments.isEmpty }
    }
}
