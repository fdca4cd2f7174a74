import Catalogue
package import Timeline

/// A window with every open end resolved: what the lists of all renditions of one answer share.
package struct WindowPlan: Sendable, Equatable {
    package enum Kind: Sendable {
        case closed
        case event
        case sliding
    }

    package var kind: Kind
    /// The window as asked; of a closed one the end is at most the live edge.
    package var window: TimeWindow
    /// Where an open end that was cut goes on.
    package var next: Instant?
    /// Whether the same request means the same window for ever.
    package var isFixed: Bool
    /// Whether retention may have reached the window's begin, so that segments leave a growing list at its front.
    var losesHead = false

    /// Resolves a window of the past; sliding ones resolve by what is found (`SlidingPlan`).
    static func resolving(
        _ request: WindowRequest, publishedHead: PublishedHead, maxWindowSeconds: Int64,
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
                limit: maxWindowSeconds * Microseconds.perSecond)
        case .sliding:
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
        // A segment that begins before the window may be its first one.
        let segment = Int64(publishedHead.targetSeconds + 1) * Microseconds.perSecond
        return WindowPlan(
            kind: .event, window: window,
            next: end == nil && window.end < publishedHead.watermark ? window.end : nil,
            isFixed: window.end <= publishedHead.watermark,
            losesHead: publishedHead.expiredBefore > window.begin - segment)
    }

    private static func checkPlace(_ window: TimeWindow, _ publishedHead: PublishedHead) throws(PlaybackError)
    {
        if window.end <= publishedHead.expiredBefore { throw .expired(before: publishedHead.expiredBefore) }
        if window.begin >= publishedHead.watermark { throw .nothingRecorded(available: []) }
    }
}
