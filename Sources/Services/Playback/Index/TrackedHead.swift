import Catalogue
import Concurrency
import Timeline

/// The head of a channel with the history of its watermark and lag; an object, since each answer holds one.
final class TrackedHead: Sendable {
    let head: ChannelHead
    let history: WatermarkHistory
    let lag: SmoothedLag

    init(_ head: ChannelHead, at instant: SteadyInstant) {
        self.head = head
        history = WatermarkHistory(head.publishedHead.watermark, at: instant)
        lag = SmoothedLag(head.arrivals.lag, at: instant)
    }

    private init(_ head: ChannelHead, _ history: WatermarkHistory, _ lag: SmoothedLag) {
        self.head = head
        self.history = history
        self.lag = lag
    }

    /// The head after a later read.
    ///
    /// A watermark that has moved back means that the channel was reanchored. The history of the previous
    /// timeline is then dropped: it does not say what is settled now.
    func following(_ newer: ChannelHead, at instant: SteadyInstant) -> TrackedHead {
        if newer.publishedHead.watermark < head.publishedHead.watermark {
            return TrackedHead(newer, at: instant)
        }
        var (history, lag) = (history, lag)
        history.note(newer.publishedHead.watermark, at: instant, keeping: newer.publishedHead.settling)
        lag.note(newer.arrivals.lag, at: instant)
        return TrackedHead(newer, history, lag)
    }
}

/// A head as one answer uses it.
struct HeadSnapshot: Sendable {
    private let known: TrackedHead
    /// When the head was current; an answer cannot be more certain than that.
    private let asOf: SteadyInstant
    /// The time from then until this answer began.
    private let age: Duration

    init(_ known: TrackedHead, asOf: SteadyInstant, age: Duration) {
        self.known = known
        self.asOf = asOf
        self.age = age
    }

    var head: ChannelHead { known.head }

    /// How far the end of the channel is behind the clock in normal operation, microseconds.
    func lag(at instant: SteadyInstant) -> Int64 {
        known.lag.value(at: instant)
    }

    /// Whether a window will not change any more.
    ///
    /// Nothing in it is pending, and either it was published completely three target durations before the
    /// head was read, or the channel had published nothing for a long time.
    func isSettled(_ window: TimeWindow, now: Instant) -> Bool {
        let publishedHead = head.publishedHead
        guard window.end <= publishedHead.watermark, !head.pending.contains(where: window.overlaps) else {
            return false
        }
        let settled = known.history.settled(for: publishedHead.settling, asOf: asOf)
        return window.end <= settled || isInactive(now: now)
    }

    /// Whether the channel has stopped publishing.
    ///
    /// Either nothing was published for `Limits.inactiveAfter` or longer, or nothing is pending and nothing
    /// was published for three target durations.
    func hasStoppedPublishing(now: Instant) -> Bool {
        let settled = known.history.settled(for: head.publishedHead.settling, asOf: asOf)
        return head.pending.isEmpty && head.publishedHead.watermark <= settled || isInactive(now: now)
    }

    /// Whether nothing was published for `Limits.inactiveAfter` or longer.
    func isInactive(now: Instant) -> Bool {
        let seen = now - age.wholeMicroseconds
        let lastMove = head.arrivals.lastMove(watermark: head.publishedHead.watermark)
        return seen - lastMove >= max(head.publishedHead.settling.wholeMicroseconds, Limits.inactiveAfter)
    }
}

extension PublishedHead {
    /// After this time nothing more is expected before a watermark.
    var settling: Duration {
        .seconds(Limits.settlingTargets * Int64(max(1, targetSeconds)))
    }
}
