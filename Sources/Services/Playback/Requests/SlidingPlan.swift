package import Catalogue
package import Timeline

/// A sliding request with its edge resolved: the newest part of the published log, or a part delayed against
/// it.
package struct SlidingPlan: Sendable {
    /// Only segments that end at or before it are listed.
    package var edge: Instant
    /// The requested length, microseconds; nil lists the minimum that players need.
    package var length: Int64?

    /// Resolves the edge.
    ///
    /// For a delayed viewer the edge moves with the clock even if the channel stands still, as long as
    /// recorded segments remain. A channel whose end is usually `lag` behind the clock is not standing still.
    package init(length: Int64?, delay: Int64, publishedHead: PublishedHead, lag: Int64, now: Instant) {
        self.length = length
        let settling = Limits.settlingTargets * Int64(publishedHead.targetSeconds) * Microseconds.perSecond
        let byClock = min(publishedHead.watermark, now - lag - settling - delay)
        edge = delay == 0 ? publishedHead.watermark : max(publishedHead.watermark - delay, byClock)
    }

    /// A playlist of the least length with its edge at an instant.
    init(edge: Instant) {
        self.edge = edge
    }

    /// How far before the edge segments have to be read, microseconds.
    func lookBack(_ publishedHead: PublishedHead) -> Int64 {
        let target = Int64(max(1, publishedHead.targetSeconds)) * Microseconds.perSecond
        return max(length ?? 0, Limits.slidingMicroseconds, Int64(Limits.slidingSegments) * target) + 2
            * target
    }

    /// The renditions whose segments do not reach back to the begin of their playlist; all if none reaches to
    /// the edge.
    func lacking(_ held: HeldSegments) -> Set<RenditionID> {
        let candidates = present(held)
        guard !candidates.isEmpty else { return Set(held.renditions.map(\.id)) }
        let short = candidates.filter { shortestBegin(in: $0.segments, held.targets) == nil }.map(\.id)
        return Set(short).union(unlisted(held))
    }

    /// The renditions whose only segments near the edge end after it, as after an outage: older ones are
    /// listed until then.
    private func unlisted(_ held: HeldSegments) -> [RenditionID] {
        held.renditions.filter { rendition in
            rendition.segments.first.map { $0.start < edge } ?? false
                && rendition.segments.ending(notAfter: edge).isEmpty
        }.map(\.id)
    }

    /// Composes the playlists from segments of the published log.
    ///
    /// The channel is over if nothing will be published any more.
    func composed(_ held: HeldSegments, isOver: Bool = false) -> PlaylistContents {
        var renditions = present(held)
        for index in renditions.indices {
            let begin = begin(in: renditions[index].segments, held.targets)
            renditions[index].segments = renditions[index].segments.ending(after: begin)
            renditions[index].listableWindow = listableWindow(renditions[index], held)
        }
        let ended = ended(renditions, held)
        let leading = PlaylistContents.leading(of: renditions.filter { !ended.contains($0.id) })
        let begin = leading?.segments.first?.start ?? edge
        let window = TimeWindow(begin: begin, end: max(begin, leading?.listableWindow?.end ?? edge))
        let measured = renditions.map(\.targetSeconds).max() ?? 1
        return PlaylistContents(
            plan: WindowPlan(kind: .sliding, window: window, isFixed: false), window: window,
            isEnded: isOver && edge >= held.publishedHead.watermark,
            isFinal: false, targetSeconds: max(measured, held.targets.seconds(at: edge)),
            renditions: renditions, ended: ended,
            known: held.renditions.map(\.id), formats: held.formats, writesGaps: false,
            discontinuities: DiscontinuitySequences(), markers: held.markers)
    }

    /// The renditions that end before the others by more than the shortest playlist looks back.
    private func ended(_ listed: [ListedRendition], _ held: HeldSegments) -> Set<RenditionID> {
        let ends = listed.map { lastEnd(of: $0.id, held) }
        guard let newest = ends.compactMap(\.self).max() else { return [] }
        let recent = newest - SlidingPlan(edge: edge).lookBack(held.publishedHead)
        return Set(zip(listed, ends).filter { $1.map { $0 <= recent } ?? true }.map(\.0.id))
    }

    /// The end of the last segment of a rendition that begins before the edge.
    ///
    /// It may end after the edge, and is then not listed yet: after an outage the segments of one rendition
    /// come into the playlist before those of another one, which still lists older ones.
    private func lastEnd(of id: RenditionID, _ held: HeldSegments) -> Instant? {
        let segments = held.renditions.first { $0.id == id }?.segments
        return segments?.backwards.first { $0.start < edge }?.end
    }

    /// From the first listed segment, if others before it are left out, to the end of what can be listed.
    private func listableWindow(_ listed: ListedRendition, _ held: HeldSegments) -> TimeWindow {
        let first = listed.segments.first?.start ?? edge
        let all = held.renditions.first { $0.id == listed.id }?.segments
        let isShortened = all?.first.map { $0.start < first } ?? false
        return TimeWindow(
            begin: isShortened ? first : Instant(microseconds: .min),
            end: max(first, all?.listableEnd(upTo: edge) ?? edge))
    }

    /// The segments of a rendition that end after this instant are listed.
    ///
    /// It depends on this rendition and the channel's target durations only and never moves back, because the
    /// log only grows. The sequence numbers therefore never move back either.
    private func begin(in segments: SegmentList, _ targets: TargetDurations) -> Instant {
        let shortest = shortestBegin(in: segments, targets) ?? segments.first?.start ?? edge
        return length.map { min(shortest, edge - $0) } ?? shortest
    }

    /// Where the shortest playlist that players need begins; nil if there is not enough.
    ///
    /// After the target duration has risen, the playlist must be longer. Segments that were removed do not
    /// come back: none is removed until the playlist is long enough (RFC 8216 §6.2.2).
    private func shortestBegin(in segments: SegmentList, _ targets: TargetDurations) -> Instant? {
        guard let first = segments.first else { return nil }
        let now = shortestBegin(in: segments, of: targets.seconds(at: edge))
        let before = targets.rises(in: TimeWindow(begin: first.start, end: edge)).map {
            shortestBegin(in: segments.ending(notAfter: $0.begin), of: $0.formerSeconds)
        }
        return (before + [now]).compactMap(\.self).max()
    }

    /// The same for a given target duration, counting media and not holes.
    private func shortestBegin(in segments: SegmentList, of targetSeconds: Int) -> Instant? {
        let least = max(
            Limits.slidingMicroseconds,
            Limits.slidingTargets * Int64(targetSeconds) * Microseconds.perSecond)
        var held: Int64 = 0
        for (count, segment) in segments.backwards.enumerated() {
            held += segment.mediaDuration
            if count + 1 >= Limits.slidingSegments, held >= least { return segment.start }
        }
        return nil
    }

    /// The renditions that continue to the edge, or all renditions if the edge lies in a hole.
    private func present(_ held: HeldSegments) -> [ListedRendition] {
        let listed = listed(held)
        let recent = edge - lookBack(held.publishedHead)
        let present = listed.filter { lastEnd(of: $0.id, held).map { $0 > recent } ?? false }
        return present.isEmpty ? listed : present
    }

    /// The segments up to the edge after the last change of container, because a playlist must not mix
    /// containers.
    private func listed(_ held: HeldSegments) -> [ListedRendition] {
        held.renditions.map { rendition in
            let ended = rendition.segments.ending(notAfter: edge)
            let container = ended.last.flatMap { held.formats[$0.formatID]?.container }
            let segments = ended.afterLast { held.formats[$0]?.container != container }
            return ListedRendition(description: rendition.description, segments: segments)
        }.filter { !$0.segments.isEmpty }
    }
}
