import Catalogue
import Timeline

/// Decides what the playlists of an answer list; a pure function of what the archive holds.
package enum PlaylistComposer {
    /// Composes the playlists of a window in the past.
    ///
    /// There are no renditions if nothing is held. `held` must reach from a minute before the window to a
    /// minute after it, so that stretches at its edges are complete. A window is settled if only keys and
    /// repairs can change it. A channel is over if it publishes nothing any more. Throws `expired` if a
    /// growing playlist has lost its first segments and its entries might get other numbers, and
    /// `tooManyGaps` if gaps are asked for and too much is missing.
    package static func compose(
        _ held: HeldSegments, plan: WindowPlan, isSettled: Bool = false, isOver: Bool = false,
    ) throws(PlaybackError) -> PlaylistContents {
        let published = isOver ? Instant.distantFuture : held.publishedHead.watermark
        let selections = held.renditions.map { rendition in
            RenditionSelection(
                Stretch.splitting(rendition.segments, formats: held.formats), plan: plan, published: published
            )
        }
        if plan.hasLostFirstSegments, selections.contains(where: \.dependsOnFirstSegments) {
            throw .expired(before: held.publishedHead.expiredBefore)
        }
        let end = selections.compactMap(\.end).min()
        let hold = selections.compactMap(\.hold).min()
        let last = min(plan.window.end, end ?? .distantFuture)
        // Nothing that begins before the end can appear any more.
        let isComplete = plan.kind == .closed || isOver || held.publishedHead.watermark >= last
        let listed = TimeWindow(begin: plan.window.begin, end: min(last, hold ?? .distantFuture))
        let all = Array(zip(held.renditions, selections))
        let covered = plan.coversVideo ? Self.covered(all, in: listed) : listed
        let selected = all.map { rendition, selection in
            Self.selected(rendition, selection, in: rendition.id.kind == .audio ? covered : listed)
        }.filter { !$0.segments.isEmpty }
        let renditions =
            isComplete
            ? selected
            : selected.map { $0.listed(in: listed, upTo: held.publishedHead.watermark) }
                .filter { !$0.segments.isEmpty }
        var window = composed(renditions, end: end, held: held, plan: plan)
        try window.checkGaps()
        if plan.kind == .event { window.initialRenditions = Self.initial(selected) }
        window.isEnded = isComplete && hold == nil
        window.isFinal =
            window.isEnded && isSettled && !selections.contains(where: \.isUndecided)
            && !waitsForKeys(held, in: plan.window)
            && !held.markers.mayChange(in: plan.window, published: published)
        return window
    }

    /// Whether a segment in the window still waits for its key.
    private static func waitsForKeys(_ held: HeldSegments, in window: TimeWindow) -> Bool {
        held.renditions.contains { rendition in
            rendition.segments.pieces.contains { piece in
                piece.block.summary.waitsForKey
                    && piece.segments.contains {
                        $0.flags.contains(.keyPending) && $0.window.overlaps(window)
                    }
            }
        }
    }

    private static func composed(
        _ renditions: [ListedRendition], end: Instant?, held: HeldSegments, plan: WindowPlan,
    ) -> PlaylistContents {
        let isCut = end.map { $0 < plan.window.end } ?? false
        let next = isCut ? end : plan.next
        let last = min(plan.window.end, next ?? .distantFuture, held.publishedHead.watermark)
        let measured = renditions.map(\.targetSeconds).max() ?? 1
        let listed = renditions.compactMap(\.segments.last?.end).max() ?? plan.window.begin
        return PlaylistContents(
            plan: plan, window: TimeWindow(begin: plan.window.begin, end: max(plan.window.begin, last)),
            next: next, isEnded: false, isFinal: false,
            targetSeconds: plan.kind == .closed ? measured : max(measured, held.targets.seconds(at: listed)),
            renditions: renditions, known: held.renditions.map(\.id),
            audioQuarter: held.renditions.filter { $0.id.kind == .audio }.compactMap(\.firstQuarter).min(),
            formats: held.formats,
            writesGaps: plan.writesGaps,
            discontinuities: plan.kind == .closed
                ? DiscontinuitySequences(of: renditions, formats: held.formats) : DiscontinuitySequences(),
            markers: held.markers)
    }

    /// A rendition with its segments within a window.
    private static func selected(
        _ rendition: ListedRendition, _ selection: RenditionSelection, in window: TimeWindow,
    ) -> ListedRendition {
        var segments = SegmentList()
        for range in selection.ranges { segments.append(rendition.segments[range].overlapping(window)) }
        return ListedRendition(description: rendition.description, segments: segments)
    }

    /// The window with the whole segments of video that overlap it.
    private static func covered(
        _ all: [(ListedRendition, RenditionSelection)], in window: TimeWindow,
    ) -> TimeWindow {
        var covered = window
        for (rendition, selection) in all where rendition.id.kind == .video {
            let segments = selected(rendition, selection, in: window).segments
            guard let first = segments.first, let last = segments.last else { continue }
            covered.begin = min(covered.begin, first.start)
            covered.end = max(covered.end, last.end)
        }
        return covered
    }

    /// The renditions that begin before the first segment of any of them ends.
    ///
    /// A growing playlist lists nothing before that end is published, and nothing that begins before it can
    /// appear any more: the result is the same in all its answers while its beginning is held.
    private static func initial(_ renditions: [ListedRendition]) -> [ListedRendition] {
        guard let end = renditions.compactMap(\.segments.first?.end).min() else { return [] }
        return renditions.filter { $0.segments.first.map { $0.start < end } ?? false }
    }
}

extension ListedRendition {
    /// The same while a playlist of a window grows: with the segments that end before an edge.
    fileprivate func listed(in window: TimeWindow, upTo edge: Instant) -> ListedRendition {
        let end = max(window.begin, segments.listableEnd(upTo: edge))
        return ListedRendition(
            description: description, segments: segments.ending(notAfter: edge),
            listableWindow: TimeWindow(begin: window.begin, end: end))
    }
}

extension Instant {
    static let distantFuture = Instant(microseconds: .max)
}
