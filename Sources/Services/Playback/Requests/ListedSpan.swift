package import Catalogue
package import Timeline

/// The time that the segments of a closed window span, independent of the requested times.
package struct ListedSpan: Sendable {
    /// The renditions whose segments count.
    package enum Scope: Sendable, Equatable {
        case leading
        case one(RenditionID)
        case all
    }

    /// From the begin of a segment to the end of one.
    package var window: TimeWindow
    package var scope: Scope
    package var leading: RenditionID
    /// What an answer with the leading rendition says.
    package var facts: WindowFacts
}

extension ListedSpan {
    /// Joins what several renditions span, the leading one being the first; nil if there are none.
    ///
    /// Segments of different renditions seldom begin at the same time. With the outermost edges a window
    /// would include further segments, which would move its edges again. So each edge is that of the first
    /// rendition with a segment there. A request for the result leads to the same edge, or to that of an
    /// earlier rendition.
    fileprivate static func joined(_ spans: [TimeWindow], in window: TimeWindow) -> TimeWindow? {
        guard let earliest = spans.map(\.begin).min(), let latest = spans.map(\.end).max() else { return nil }
        return TimeWindow(
            begin: spans.first { $0.begin <= window.begin }?.begin ?? earliest,
            end: spans.first { $0.end >= window.end }?.end ?? latest)
    }
}

extension PlaylistContents {
    /// Nil if no rendition leads, or the window has no segments of the only one that counts.
    package func listedSpan(_ scope: ListedSpan.Scope) -> ListedSpan? {
        guard let leading else { return nil }
        let counting: [ListedRendition]
        switch scope {
        case .leading: counting = [leading]
        case .one(let id): counting = renditions.filter { $0.id == id }
        case .all: counting = [leading] + renditions.filter { $0.id != leading.id }
        }
        let spans = counting.compactMap { rendition -> TimeWindow? in
            guard let first = rendition.segments.first, let last = rendition.segments.last else { return nil }
            return TimeWindow(begin: first.start, end: last.end)
        }
        return ListedSpan.joined(spans, in: window).map {
            ListedSpan(window: $0, scope: scope, leading: leading.id, facts: facts)
        }
    }

    package var hasSeparateAudio: Bool { renditions.contains { $0.id.kind == .audio } }
}

extension PlaybackService {
    /// The span of a closed window; nil if something has to be read, or composed from rows.
    ///
    /// It returns without waiting. The result is the same as that of `compose`.
    package func listedSpanFromMemory(
        _ request: WindowRequest, of channel: Channel, now: Instant,
        _ scope: (_ hasSeparateAudio: Bool) -> ListedSpan.Scope,
    ) -> ListedSpan? {
        guard let found = fromMemory(request, of: channel, now: now), let leading = found.cut.leading,
            let id = found.cut.leadingID
        else { return nil }
        let scope = scope(found.cut.hasSeparateAudio)
        return ListedSpan.joined(found.cut.spans(scope), in: found.plan.window).map {
            ListedSpan(
                window: $0, scope: scope, leading: id,
                facts: leading.facts(found.plan, found.isFinal, targetSeconds: found.cut.targetSeconds))
        }
    }
}

extension ChannelSlice {
    fileprivate func spans(_ scope: ListedSpan.Scope) -> [TimeWindow] {
        switch scope {
        case .leading: leading.map { [$0.span] } ?? []
        case .one(let id): self[id].map { [$0.span] } ?? []
        case .all: ([leading] + others).compactMap(\.?.span)
        }
    }
}

extension WindowSlice {
    fileprivate var span: TimeWindow { TimeWindow(begin: first.start, end: last.end) }
}
