import Catalogue
import Timeline

/// Decides what an answer lists, from what the catalogue holds: a pure function.
package enum PlaylistComposer {
    /// Composes a window of the past; one without renditions when nothing is held.
    ///
    /// The record holds everything from a minute before the window to a minute after it, so that stretches at its ends
    /// are seen whole. A window is settled when nothing in it can come any more but keys and repairs. A channel is over
    /// when nothing is published any more.
    package static func compose(
        _ record: HeldSegments, plan: WindowPlan, request: WindowRequest, isSettled: Bool = false,
        isOver: Bool = false,
    ) -> PlaylistContents {
        let selections = record.renditions.map { rendition in
            RenditionSelection(
                Stretch.splitting(rendition.segments, formats: record.formats),
                plan: plan,
                takesAnyTracks: request.takesAnyTracks,
                published: isOver ? .distantFuture : record.publishedHead.watermark)
        }
        let end = selections.compactMap(\.end).min()
        let hold = selections.compactMap(\.hold).min()
        let last = min(plan.window.end, end ?? .distantFuture)
        // Nothing that begins before the end can come any more.
        let isComplete = plan.kind == .closed || isOver || record.publishedHead.watermark >= last
        let listed = TimeWindow(begin: plan.window.begin, end: min(last, hold ?? .distantFuture))
        let renditions = zip(record.renditions, selections).map { rendition, selection in
            ListedRendition(
                description: rendition.description,
                segments: segments(
                    of: rendition, selection, in: listed,
                    upTo: isComplete ? nil : record.publishedHead.watermark))
        }.filter { !$0.segments.isEmpty }
        var window = composed(renditions, end: end, record: record, plan: plan, request: request)
        window.isEnded = isComplete && hold == nil
        window.isFinal = window.isEnded && isSettled && !waitsForKeys(record, in: plan.window)
        return window
    }

    /// Whether segments are held whose keys may still come.
    private static func waitsForKeys(_ record: HeldSegments, in window: TimeWindow) -> Bool {
        record.renditions.contains { rendition in
            rendition.segments.pieces.contains { piece in
                piece.block.summary.waitsForKey
                    && piece.segments.contains {
                        $0.flags.contains(.keyPending) && $0.window.overlaps(window)
                    }
            }
        }
    }

    private static func composed(
        _ renditions: [ListedRendition], end: Instant?, record: HeldSegments, plan: WindowPlan,
        request: WindowRequest,
    ) -> PlaylistContents {
        let publishedHead = record.publishedHead
        let isCut = end.map { $0 < plan.window.end } ?? false
        let next = isCut ? end : plan.next
        let last = min(plan.window.end, next ?? .distantFuture, publishedHead.watermark)
        let measured = renditions.map(\.targetSeconds).max() ?? 1
        return PlaylistContents(
            plan: plan, window: TimeWindow(begin: plan.window.begin, end: max(plan.window.begin, last)),
            next: next, isEnded: false, isFinal: false,
            targetSeconds: plan.kind == .closed ? measured : max(measured, publishedHead.targetSeconds),
            renditions: renditions, known: record.renditions.map(\.id), formats: record.formats,
            writesGaps: request.writesGaps && plan.kind != .sliding,
            discontinuities: plan.kind == .closed
                ? DiscontinuitySequences(of: renditions, formats: record.formats) : DiscontinuitySequences())
    }

    /// What a rendition lists of a window; while that still grows, whole segments up to an edge.
    private static func segments(
        of rendition: ListedRendition, _ selection: RenditionSelection, in window: TimeWindow,
        upTo edge: Instant?,
    ) -> SegmentList {
        var listed = SegmentList()
        for range in selection.ranges { listed.append(rendition.segments[range].overlapping(window)) }
        return edge.map { listed.ending(notAfter: $0) } ?? listed
    }
}

extension Instant {
    static let distantFuture = Instant(microseconds: .max)
}
