package import Catalogue
package import Timeline

/// The newest part of the published log, or one that lies so much later than live.
package struct SlidingWindow: Sendable {
    /// Nothing that ends later is listed.
    package var edge: Instant
    /// What the viewer wants, microseconds; nil takes the shortest list that players like.
    package var length: Int64?

    /// Follows the live edge at a distance.
    ///
    /// A channel that stands still does not hold a delayed viewer: what is recorded
    /// goes on at the pace of the clock.
    package init(length: Int64?, delay: Int64, line: Line, now: Instant) {
        self.length = length
        let settling = Limits.settlingTargets * Int64(line.targetSeconds) * Microseconds.perSecond
        let byClock = min(line.watermark, now - settling - delay)
        edge = delay == 0 ? line.watermark : max(line.watermark - delay, byClock)
    }

    private init(edge: Instant) {
        self.edge = edge
    }

    /// What has to be read before the edge, microseconds.
    func lookBack(_ line: Line) -> Int64 {
        let target = Int64(max(1, line.targetSeconds)) * Microseconds.perSecond
        return max(length ?? 0, Limits.slidingMicroseconds, Int64(Limits.slidingSegments) * target) + 2
            * target
    }

    /// Whether the record has as much as players need: three target durations at least (RFC 8216, 6.2.2).
    func isSatisfied(by record: TimelineRecord) -> Bool {
        let candidates = listed(record)
        let shortest = SlidingWindow(edge: edge)
        return ComposedWindow.leading(of: candidates).map { shortest.begin(in: $0.segments) != nil } ?? false
    }

    /// Composes the list; `record` is of the published log.
    package func composed(_ record: TimelineRecord) -> ComposedWindow {
        var renditions = listed(record)
        let leading = ComposedWindow.leading(of: renditions)?.segments ?? SegmentList()
        let begin = begin(in: leading) ?? leading.first?.start ?? edge
        for index in renditions.indices {
            renditions[index].segments = renditions[index].segments.ending(after: begin)
        }
        renditions.removeAll { $0.segments.isEmpty }
        let window = TimeWindow(begin: begin, end: max(begin, edge))
        let measured = renditions.map(\.targetSeconds).max() ?? 1
        return ComposedWindow(
            plan: WindowPlan(kind: .sliding, window: window, isFixed: false), window: window, isEnded: false,
            isFinal: false, targetSeconds: max(measured, record.line.targetSeconds), renditions: renditions,
            known: record.renditions.map(\.id), states: record.states, writesGaps: false, domains: Domains())
    }

    /// Where the list begins: behind everything that is not needed; nil when there is not enough.
    private func begin(in segments: SegmentList) -> Instant? {
        var held: Int64 = 0
        for (count, segment) in segments.backwards.enumerated() {
            held += segment.duration
            let isEnough = count + 1 >= Limits.slidingSegments && held >= Limits.slidingMicroseconds
            let isLong = length.map { segment.start <= edge - $0 } ?? true
            if isEnough && isLong { return segment.start }
        }
        return nil
    }

    /// The segments up to the edge, from the last change of a container on: a list must not mix them.
    private func listed(_ record: TimelineRecord) -> [ListedRendition] {
        record.renditions.map { rendition in
            let ended = rendition.segments.ending(notAfter: edge)
            let container = ended.last.flatMap { record.states[$0.stateID]?.container }
            let segments = ended.behindLast { record.states[$0]?.container != container }
            return ListedRendition(description: rendition.description, segments: segments)
        }.filter { !$0.segments.isEmpty }
    }
}
