import Catalogue
package import Timeline

/// A request with all open ends resolved; all playlists of one answer share it.
package struct WindowPlan: Sendable, Equatable {
    package enum Kind: Sendable {
        case closed
        case event
        case sliding
    }

    package var kind: Kind
    /// The requested window; if it is closed, it ends at the live edge at most.
    package var window: TimeWindow
    /// Where another request can continue if an open end was cut.
    package var next: Instant?
    /// Whether the same request will always mean the same window.
    package var isFixed: Bool
    /// Whether the begin of the window may expire, so that a growing playlist loses segments at its front.
    var losesFirstSegments = false
    /// Whether holes are written as EXT-X-GAP.
    var writesGaps = false
    /// Whether stretches that lack a track are listed.
    var allowsMissingTracks = false
    /// Whether audio is listed as far as the segments of the video extend.
    var coversVideo = false
    /// Whether the first segments of a growing playlist expired before retention foresaw it, because of the
    /// size limit or a full disk.
    var hasLostFirstSegments = false

    /// Resolves a window in the past; a sliding request is resolved by `SlidingPlan`.
    ///
    /// Without `retentionSeconds` the channel's recording is kept for ever.
    static func resolving(
        _ request: WindowRequest, publishedHead: PublishedHead, maxWindowSeconds: Int64,
        retentionSeconds: Int64? = nil,
    ) throws(PlaybackError) -> WindowPlan {
        let longest = longestEvent(maxWindowSeconds, retentionSeconds)
        var plan = try resolvingSpan(
            request, publishedHead: publishedHead, maxWindowSeconds: maxWindowSeconds,
            eventSeconds: request.writesGaps ? min(longest, Limits.gapEntries) : longest)
        let keepsFirstSegments = plan.keepsFirstSegments(retentionSeconds)
        plan.writesGaps = request.writesGaps && keepsFirstSegments
        plan.allowsMissingTracks = request.allowsMissingTracks || !keepsFirstSegments
        plan.coversVideo = request.coversVideo
        plan.hasLostFirstSegments =
            plan.kind == .event && keepsFirstSegments && plan.losesFirstSegments && !plan.isFixed
        // The numbers of the entries must not change.
        if plan.hasLostFirstSegments, plan.writesGaps { throw .expired(before: publishedHead.expiredBefore) }
        return plan
    }

    /// Whether retention leaves the head of a growing playlist alone until the playlist has ended.
    ///
    /// Published numbers do not count GAP entries, but count segments that are left out. If some of either
    /// expired with the head, the entries after them would get other numbers (RFC 8216bis §6.2.1). So whether
    /// a playlist has GAP entries or leaves segments out depends only on what stays the same while it grows.
    private func keepsFirstSegments(_ retentionSeconds: Int64?) -> Bool {
        guard kind == .event, let retentionSeconds else { return true }
        return window.microseconds / Microseconds.perSecond + Limits.firstSegmentReserveSeconds
            <= retentionSeconds
    }

    /// The longest growing playlist without a requested end, seconds: it ends before its first segments
    /// expire.
    ///
    /// If the retention is too short for that, the first segments expire while the playlist grows.
    private static func longestEvent(_ maxWindowSeconds: Int64, _ retentionSeconds: Int64?) -> Int64 {
        guard let retentionSeconds else { return maxWindowSeconds }
        let kept = retentionSeconds - Limits.firstSegmentReserveSeconds
        return kept >= Limits.firstSegmentReserveSeconds ? min(maxWindowSeconds, kept) : maxWindowSeconds
    }

    private static func resolvingSpan(
        _ request: WindowRequest, publishedHead: PublishedHead, maxWindowSeconds: Int64, eventSeconds: Int64,
    ) throws(PlaybackError) -> WindowPlan {
        switch request.span {
        case .closed(let begin, let end):
            try checkLength(begin: begin, end: end, maxWindowSeconds)
            return try closed(
                begin: begin, end: end, publishedHead: publishedHead,
                limit: maxWindowSeconds * Microseconds.perSecond)
        case .event(let begin, let end):
            try checkLength(begin: begin, end: end, maxWindowSeconds)
            return try event(
                begin: begin, end: end, publishedHead: publishedHead,
                limit: eventSeconds * Microseconds.perSecond)
        case .sliding, .timeshift:
            throw .emptyWindow
        }
    }

    private static func checkLength(
        begin: Instant, end: Instant?, _ maxWindowSeconds: Int64,
    ) throws(PlaybackError) {
        guard let end else { return }
        if end <= begin { throw .emptyWindow }
        let (limit, overflow) = maxWindowSeconds.multipliedReportingOverflow(by: Microseconds.perSecond)
        if !overflow, end - begin > limit { throw .windowTooLong(limitSeconds: maxWindowSeconds) }
    }

    private static func closed(
        begin: Instant, end: Instant?, publishedHead: PublishedHead, limit: Int64,
    ) throws(PlaybackError) -> WindowPlan {
        let asked = end ?? begin + limit
        try checkPlace(TimeWindow(begin: begin, end: asked), publishedHead)
        let resolved = min(asked, publishedHead.watermark)
        return WindowPlan(
            kind: .closed, window: TimeWindow(begin: begin, end: resolved),
            next: end == nil && asked < publishedHead.watermark ? asked : nil,
            isFixed: asked <= publishedHead.watermark)
    }

    private static func event(
        begin: Instant, end: Instant?, publishedHead: PublishedHead, limit: Int64,
    ) throws(PlaybackError) -> WindowPlan {
        let window = TimeWindow(begin: begin, end: end ?? begin + limit)
        try checkPlace(window, publishedHead)
        // The first segment may begin before the window.
        let segment = Int64(publishedHead.targetSeconds + 1) * Microseconds.perSecond
        return WindowPlan(
            kind: .event, window: window,
            next: end == nil && window.end < publishedHead.watermark ? window.end : nil,
            isFixed: window.end <= publishedHead.watermark,
            losesFirstSegments: publishedHead.expiredBefore > window.begin - segment)
    }

    private static func checkPlace(_ window: TimeWindow, _ publishedHead: PublishedHead) throws(PlaybackError)
    {
        let expired = publishedHead.expiredBefore
        if window.end <= expired {
            // 1970 means that nothing of the channel has expired: earlier times were never recorded.
            throw expired == Instant(microseconds: 0)
                ? .nothingRecorded(available: []) : .expired(before: expired)
        }
        if window.begin >= publishedHead.watermark { throw .nothingRecorded(available: []) }
    }
}
