package import Catalogue
import Concurrency
package import HTTP
package import Timeline

/// Answers requests from the index; safe to share between tasks.
package final class PlaybackService: Sendable {
    let index: TimelineIndex
    let maxWindowSeconds: Int64
    /// The turns of long compositions: fewer than there are cores, so that others are not delayed.
    ///
    /// One client may have half of them.
    private let turns: ClientTurns
    private let lookBacks = SlidingLookBacks()
    let keyFrameRates = KeyFrameRates()

    /// Lets at most `longAnswers` answers compute for more than a millisecond at a time.
    package init(index: TimelineIndex, maxWindowSeconds: Int64, longAnswers: Int = 1) {
        self.index = index
        self.maxWindowSeconds = maxWindowSeconds
        turns = ClientTurns(
            longAnswers, perClient: max(1, longAnswers / 2), waiting: Limits.compositionsWaiting,
            clientWaiting: Limits.clientShortWindowsWaiting, clock: index.clock)
    }

    /// Composes the playlists of a request; they list at least one segment.
    ///
    /// An error that says that nothing is recorded has the nearest recorded spans, if these are asked for.
    package func compose(
        _ request: WindowRequest, of channel: Channel, now: Instant, findsAlternatives: Bool = true,
    ) async throws(PlaybackError) -> PlaylistContents {
        try checkSliding(request, channel)
        let asked = index.clock.steady()
        return try await withAlternatives(findsAlternatives ? request : nil, channel) {
            () throws(PlaybackError) in
            let seen = try await PlaybackError.mapping { () throws(CatalogueError) in
                try await index.head(
                    of: channel.row, isGrowing: request.isGrowing, upTo: request.span.closedEnd)
            }
            if case .sliding(let length, let delay) = request.span {
                let sliding = SlidingPlan(
                    length: length, delay: delay, publishedHead: seen.head.publishedHead,
                    lag: seen.lag(at: asked), now: now)
                return try await compose(
                    sliding, seen.head, isOver: hasEnded(channel, seen, .sliding, now: now),
                    for: request.client)
            }
            if case .timeshift(let delay) = request.span {
                let edge = try await edge(startingAt: now - delay, seen.head, for: request.client)
                return try await compose(
                    SlidingPlan(edge: edge), seen.head,
                    isOver: hasEnded(channel, seen, .sliding, now: now), for: request.client)
            }
            let plan = try WindowPlan.resolving(
                request, publishedHead: seen.head.publishedHead, maxWindowSeconds: maxWindowSeconds,
                retentionSeconds: channel.settings.retentionSeconds)
            return try await compose(
                plan, request, seen, isOver: hasEnded(channel, seen, plan.kind, now: now), now: now)
        }
    }

    /// Adds the spans nearest to a request to an error that says that nothing is recorded.
    private func withAlternatives(
        _ request: WindowRequest?, _ channel: Channel,
        _ body: () async throws(PlaybackError) -> PlaylistContents,
    ) async throws(PlaybackError) -> PlaylistContents {
        do throws(PlaybackError) {
            let window = try await body()
            if window.renditions.isEmpty { throw PlaybackError.nothingRecorded(available: []) }
            return window
        } catch {
            guard case .nothingRecorded = error, let request else { throw error }
            throw .nothingRecorded(available: try await available(near: request, channel))
        }
    }

    /// Throws if anything is missing in one rendition, or in any rendition of the channel if none is named.
    ///
    /// For renditions without a segment in the window it asks the catalogue whether the source had them at
    /// that time.
    package func checkWhole(
        _ window: PlaylistContents, _ named: RenditionID?, of channel: Channel, for client: String?,
    ) async throws(PlaybackError) {
        try window.checkWhole(named)
        let absent = window.absent.filter { named == nil || $0 == named }
        try await checkLost(absent, in: window, of: channel, for: client)
    }

    /// Throws if the source had audio of its own in a window that holds none.
    package func checkWholeAudio(
        of window: PlaylistContents, of channel: Channel, for client: String?,
    ) async throws(PlaybackError) {
        let absent = window.absent.filter { $0.kind == .audio }
        try await checkLost(absent, in: window, of: channel, for: client)
    }

    private func checkLost(
        _ absent: [RenditionID], in window: PlaylistContents, of channel: Channel, for client: String?,
    ) async throws(PlaybackError) {
        guard !absent.isEmpty else { return }
        let missing = try await index.missingTime(of: absent, of: channel, in: window.window, for: client)
        for id in absent {
            guard let lacking = missing[id]?.microseconds, lacking > Limits.timeTolerance else { continue }
            throw .incomplete(rendition: id, missing: lacking)
        }
    }

    /// The recorded spans nearest to a request.
    package func available(
        near request: WindowRequest, _ channel: Channel,
    ) async throws(PlaybackError) -> [TimeWindow] {
        let window =
            switch request.span {
            case .closed(let begin, let end), .event(let begin, let end):
                TimeWindow(begin: begin, end: end ?? begin)
            case .sliding, .timeshift: TimeWindow(begin: .distantFuture, end: .distantFuture)
            }
        return try await index.available(of: channel.row, near: window, for: request.client)
    }
}

extension PlaybackService {
    private func compose(
        _ plan: WindowPlan, _ request: WindowRequest, _ seen: HeadSnapshot, isOver: Bool, now: Instant,
    ) async throws(PlaybackError) -> PlaylistContents {
        let margin = SegmentFormat.longRunMicroseconds
        let wide = TimeWindow(begin: plan.window.begin - margin, end: plan.window.end + margin)
        let held = try await index.heldSegments(
            of: seen.head, in: wide, scope: plan.kind == .event ? .published : .archive, for: request.client)
        let plan = try await continued(plan, held, of: seen.head.channel, for: request.client)
        let isSettled = plan.isFixed && seen.isSettled(plan.window, now: now)
        return try await inTurn(
            held.pieceCount > Limits.piecesWithoutTurn, leavesThread: held.pieceCount > Limits.piecesAtOnce,
            for: request.client
        ) { () async throws(PlaybackError) in
            try PlaylistComposer.compose(held, plan: plan, isSettled: isSettled, isOver: isOver)
        }
    }

    /// The plan with the start of the next window, if this one was cut and holds a segment.
    ///
    /// A window that holds nothing is not found: the catalogue is not asked what follows it.
    private func continued(
        _ plan: WindowPlan, _ held: HeldSegments, of channel: Int32, for client: String?,
    ) async throws(PlaybackError) -> WindowPlan {
        guard let cut = plan.next, held.overlaps(plan.window) else { return plan }
        var plan = plan
        plan.next = try await next(from: cut, held, of: channel, for: client)
        // If nothing follows yet, a later answer may name what follows.
        if plan.next == nil { plan.isFixed = false }
        return plan
    }

    /// The start of the next window after one that was cut: at `cut`, or where recording continues if `cut`
    /// lies in a hole; nil if nothing is recorded after it.
    private func next(
        from cut: Instant, _ held: HeldSegments, of channel: Int32, for client: String?,
    ) async throws(PlaybackError) -> Instant? {
        if held.overlaps(TimeWindow(begin: cut, end: cut + 1)) { return cut }
        do throws(PlaybackError) {
            let found = try await index.firstRecorded(of: channel, from: cut, for: client)
            return found.flatMap { $0 < held.publishedHead.watermark ? $0 : nil }
        } catch {
            // The window itself is in memory: it is answered, and the next request finds the hole.
            switch error {
            case .busy, .catalogue: return cut
            default: throw error
            }
        }
    }

    /// Runs a computation: a long one in its turn and on another thread, a short one at once.
    ///
    /// With `leavesThread` a short one moves to another thread, too.
    func inTurn<Value: Sendable>(
        _ isLong: Bool, leavesThread: Bool = false, for client: String?,
        _ compute: @Sendable () async throws(PlaybackError) -> Value,
    ) async throws(PlaybackError) -> Value {
        guard isLong else { return try await leavesThread ? onAnotherThread(compute) : compute() }
        return try await turns.take(for: client) { () async throws(PlaybackError) in
            try await onAnotherThread(compute)
        }
    }

    /// The media playlist of a rendition in the window; nil if it has no segments there.
    ///
    /// Texts of blocks that are not in memory yet are made first, compressed if need be.
    package func mediaPlaylist(
        of id: RenditionID, in contents: PlaylistContents, isCompressed: Bool, for client: String? = nil,
    ) async throws(PlaybackError) -> RenderedPlaylist? {
        guard let rendition = contents[id] else { return nil }
        let texts = rendition.segments.pieces.compactMap { $0.isWhole ? $0.block.text : nil }
        let missing = texts.filter { !$0.isReady(isCompressed: isCompressed) }
        let isLong =
            missing.count > Limits.textsWithoutTurn
            || rendition.ownEntries(withGaps: contents.writesGaps) > Limits.entriesWithoutTurn
        return try await inTurn(isLong, for: client) { () async throws(PlaybackError) in
            try await BlockText.prepare(missing, isCompressed: isCompressed)
            return try contents.mediaPlaylist(of: id)
        }
    }

    /// The body of a text.
    ///
    /// What other answers do not share is compressed in a turn if it is long.
    package func body(
        of text: RenderedPlaylist, isCompressed: Bool, for client: String? = nil,
    ) async throws(PlaybackError) -> [SharedBytes] {
        guard isCompressed else { return text.body }
        return try await inTurn(text.ownByteCount > Limits.ownBytesWithoutTurn, for: client) {
            () async throws(PlaybackError) in
            try text.gzip()
        }
    }

    /// The multivariant playlist of a window, with the query in every URI; it measures all its pieces.
    ///
    /// It is not final if I-frame playlists are not named because the catalogue was away or busy.
    package func multivariantPlaylist(
        of contents: PlaylistContents, query: String?, for client: String? = nil,
    ) async throws(PlaybackError) -> PlaylistAnswer {
        let pieces = contents.renditions.reduce(0) { $0 + $1.segments.pieces.count }
        let rates = try await keyFrameRates(of: contents, for: client)
        let playlist = try await inTurn(
            pieces > Limits.piecesWithoutTurn, leavesThread: pieces > Limits.piecesAtOnce, for: client
        ) { () async throws(PlaybackError) in
            try RenderedPlaylist(contents.multivariantPlaylist(query: query, keyFrameRates: rates.known))
        }
        var facts = contents.facts
        if !rates.isComplete { facts.isFinal = false }
        return PlaylistAnswer(playlist: playlist, facts: facts)
    }

    /// Whether an answer need not wait for more to be published.
    ///
    /// A deleted channel never continues, one whose source ended may. For a closed window it is enough that
    /// nothing was published for `Limits.inactiveAfter`.
    func hasEnded(_ channel: Channel, _ seen: HeadSnapshot, _ kind: WindowPlan.Kind, now: Instant) -> Bool {
        channel.isDeleted && seen.hasStoppedPublishing(now: now)
            || kind == .closed && seen.isInactive(now: now)
    }

    /// Reads further back, in growing steps, for renditions of which too little lies before the edge: new and
    /// sparse ones, and those behind a hole.
    private func compose(
        _ sliding: SlidingPlan, _ head: ChannelHead, isOver: Bool, for client: String?,
    ) async throws(PlaybackError) -> PlaylistContents {
        var lookBack = sliding.lookBack(head.publishedHead)
        let furthest = max(lookBack, min(maxWindowSeconds * Microseconds.perSecond, Limits.slidingLookBack))
        var held = try await held(head, sliding.edge, lookBack, for: client)
        while lookBack < furthest, case let lacking = sliding.lacking(held), !lacking.isEmpty {
            lookBack = lookBacks.next(after: lookBack, upTo: furthest, for: lacking, in: head.channel)
            var part = head
            part.renditions.removeAll { !lacking.contains($0.description.id) }
            held.replace(with: try await self.held(part, sliding.edge, lookBack, for: client))
            lookBacks.keep(lookBack, for: lacking, in: head.channel)
        }
        return sliding.composed(held, isOver: isOver)
    }

    /// The edge of a playlist whose third-last segment begins at or before an instant.
    ///
    /// Only segments near the instant count, so that it never moves back as time goes on: neither in a hole,
    /// nor before the first segment.
    private func edge(
        startingAt start: Instant, _ head: ChannelHead, for client: String?,
    ) async throws(PlaybackError) -> Instant {
        let target = Int64(max(1, head.publishedHead.targetSeconds)) * Microseconds.perSecond
        let reach = Limits.timeshiftTargets * target
        let end = min(start + reach, head.publishedHead.watermark)
        guard end > start - reach else { return end }
        let held = try await held(head, end, end - (start - reach), for: client)
        return TimeshiftEdge.edge(startingAt: start, held.renditions, upTo: end)
    }

    func held(
        _ head: ChannelHead, _ edge: Instant, _ lookBack: Int64, for client: String?,
    ) async throws(PlaybackError) -> HeldSegments {
        try await index.heldSegments(
            of: head, in: TimeWindow(begin: edge - lookBack, end: edge), scope: .published, for: client)
    }

    private func checkSliding(_ request: WindowRequest, _ channel: Channel) throws(PlaybackError) {
        let delay: Int64
        switch request.span {
        case .closed, .event: return
        case .timeshift(let asked): delay = asked
        case .sliding(let length, let asked):
            delay = asked
            if let length,
                length / Microseconds.perSecond > maxWindowSeconds
                    || length / Microseconds.perSecond == maxWindowSeconds
                        && length % Microseconds.perSecond > 0
            {
                throw .lengthTooLong(limitSeconds: maxWindowSeconds)
            }
        }
        if let kept = channel.settings.retentionSeconds, delay / Microseconds.perSecond >= kept,
            delay > kept * Microseconds.perSecond
        {
            throw .delayTooLong(limitSeconds: kept)
        }
    }
}
