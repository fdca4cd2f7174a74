package import Catalogue
import HLS
package import Timeline

/// A playlist and what its header fields say.
package struct PlaylistAnswer: Sendable {
    package var playlist: RenderedPlaylist
    package var facts: WindowFacts

    package init(playlist: RenderedPlaylist, facts: WindowFacts) {
        (self.playlist, self.facts) = (playlist, facts)
    }
}

/// What an answer says of its window.
package struct WindowFacts: Sendable, Equatable {
    /// The requested window; its end is at most the live edge and `next`.
    package var window: TimeWindow
    /// Where another request can continue.
    package var next: Instant?
    /// Everything in the window is published or lost, and nothing is pending.
    package var isFinal: Bool
    package var targetSeconds: Int
    /// How much of the window the leading rendition holds and lacks, microseconds; nil if none leads.
    package var completeness: Completeness?

    package struct Completeness: Sendable, Equatable {
        package var held: Int64
        package var missing: Int64
    }
}

extension PlaylistContents {
    /// What every answer of the window says, whichever rendition it is about.
    package var facts: WindowFacts {
        WindowFacts(
            window: window, next: next, isFinal: isFinal, targetSeconds: targetSeconds,
            completeness: leading.map {
                let (held, missing) = completeness(of: $0)
                return WindowFacts.Completeness(held: held, missing: missing)
            })
    }
}

/// What a request names of a channel.
package enum RequestedPlaylist: Sendable, Equatable {
    /// The media playlist of a rendition, or with nil of the leading one.
    case media(RenditionID?)
    /// The multivariant playlist; the query is added to every URI.
    case multivariant
}

extension PlaybackService {
    /// A playlist of a closed window; nil if something has to be read, or composed from rows.
    ///
    /// It returns without waiting. Its result is what `compose` and the rendering of its contents would make.
    /// `query` gives the query of the URIs in a multivariant playlist.
    package func playlistFromMemory(
        _ request: WindowRequest, of channel: Channel, _ asked: RequestedPlaylist, isCompressed: Bool,
        now: Instant, query: (WindowPlan) -> String?,
    ) -> PlaylistAnswer? {
        guard let found = fromMemory(request, of: channel, now: now) else { return nil }
        let (cut, plan, isFinal) = (found.cut, found.plan, found.isFinal)
        let second = now.microseconds / Microseconds.perSecond
        switch asked {
        case .media(let id):
            guard let markers = tags(of: found.markers, in: plan.window) else { return nil }
            return media(cut, id, plan, isFinal, markers, isCompressed: isCompressed, at: second)
        case .multivariant: return multivariant(cut, plan, isFinal, query: query(plan), at: second)
        }
    }

    /// The segments of a closed window; nil if something has to be read, or composed from rows.
    ///
    /// Also nil among several nodes if the window does not end within what is known: another node may know
    /// more; and if the window is cut where nothing is recorded.
    func fromMemory(_ request: WindowRequest, of channel: Channel, now: Instant)
        -> (cut: ChannelSlice, plan: WindowPlan, markers: [MarkerText], isFinal: Bool)?
    {
        guard case .closed = request.span, !request.writesGaps, !request.allowsMissingTracks,
            !request.isStrict,
            let seen = index.knownHead(of: channel.row),
            let plan = try? WindowPlan.resolving(
                request, publishedHead: seen.head.publishedHead, maxWindowSeconds: maxWindowSeconds),
            plan.isFixed || !index.isShared || request.span.closedEnd == nil,
            let markers = index.knownMarkers(of: seen.head, near: plan.window)
        else { return nil }
        let blockIndex = index.blockIndex(of: seen.head)
        if let next = plan.next, !blockIndex.holds(next) { return nil }
        switch blockIndex.find(plan.window) {
        case .irregular: return nil
        case .absent:
            index.dropBlockIndex(of: channel.row)
            return nil
        case .slices(let cut):
            let published =
                hasEnded(channel, seen, plan.kind, now: now)
                ? .distantFuture : seen.head.publishedHead.watermark
            let isFinal =
                plan.isFixed && seen.isSettled(plan.window, now: now)
                && !markers.mayChange(in: plan.window, published: published)
            return (cut, plan, markers, isFinal)
        }
    }

    /// The tags of the markers in a window; nil if they are many to compress.
    private func tags(of markers: [MarkerText], in window: TimeWindow) -> [UInt8]? {
        let lines = Array(markers.closedLines(in: window).joined())
        return lines.count <= Limits.markerBytesAtOnce ? lines : nil
    }

    private func media(
        _ cut: ChannelSlice, _ id: RenditionID?, _ plan: WindowPlan, _ isFinal: Bool, _ markers: [UInt8],
        isCompressed: Bool, at second: Int64,
    ) -> PlaylistAnswer? {
        guard var text = cut.mediaPlaylist(of: id) else { return nil }
        text.markers = markers
        guard
            let pieces = text.pieces(isCompressed: isCompressed),
            let playlist = try? RenderedPlaylist(pieces)
        else { return nil }
        text.cut.noteUse(at: second)
        let leading = cut.leading ?? text.cut
        return PlaylistAnswer(
            playlist: playlist, facts: leading.facts(plan, isFinal, targetSeconds: text.targetSeconds))
    }

    private func multivariant(
        _ cut: ChannelSlice, _ plan: WindowPlan, _ isFinal: Bool, query: String?, at second: Int64,
    ) -> PlaylistAnswer? {
        guard let leading = cut.leading,
            let text = cut.multivariantPlaylist(query: query, at: second, keyFrameRates),
            let playlist = try? RenderedPlaylist(text)
        else { return nil }
        return PlaylistAnswer(
            playlist: playlist, facts: leading.facts(plan, isFinal, targetSeconds: cut.targetSeconds))
    }
}

extension WindowSlice {
    /// What an answer with the segments says.
    func facts(_ plan: WindowPlan, _ isFinal: Bool, targetSeconds: Int) -> WindowFacts {
        let missing = missing(in: plan.window)
        return WindowFacts(
            window: plan.window, next: plan.next, isFinal: isFinal, targetSeconds: targetSeconds,
            completeness: .init(held: plan.window.microseconds - missing, missing: missing))
    }
}
