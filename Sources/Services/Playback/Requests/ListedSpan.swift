package import Catalogue
package import Timeline

/// What the segments of a closed window span, whatever the times that were asked for.
package struct ListedSpan: Sendable {
    /// From the first segment of the leading rendition to the end of its last one.
    package var window: TimeWindow
    package var leading: RenditionID
    package var hasSeparateAudio: Bool
    /// What an answer with the leading rendition says.
    package var facts: WindowFacts
}

extension PlaylistContents {
    /// Nil if no rendition leads.
    package var listedSpan: ListedSpan? {
        guard let leading, let first = leading.segments.first, let last = leading.segments.last else {
            return nil
        }
        return ListedSpan(
            window: TimeWindow(begin: first.start, end: last.end), leading: leading.id,
            hasSeparateAudio: renditions.contains { $0.id.kind == .audio }, facts: facts(of: leading))
    }
}

extension WindowPlayer {
    /// The span of a closed window; nil if something has to be read, or composed from rows.
    ///
    /// It returns without waiting. The result is the same as that of `compose`.
    package func listedSpanFromMemory(_ request: WindowRequest, of channel: Channel, now: Instant)
        -> ListedSpan?
    {
        guard let found = fromMemory(request, of: channel, now: now), let leading = found.cut.leading,
            let id = found.cut.leadingID
        else { return nil }
        return ListedSpan(
            window: TimeWindow(begin: leading.first.start, end: leading.last.end), leading: id,
            hasSeparateAudio: found.cut.hasSeparateAudio,
            facts: leading.facts(found.plan, found.isFinal, targetSeconds: found.cut.targetSeconds))
    }
}
