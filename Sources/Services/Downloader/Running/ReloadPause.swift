import Concurrency
import HLS

/// The pause before a live playlist is read again (RFC 8216bis §6.3.4).
///
/// After a change it is the target duration, else half of it. A playlist that has not changed for long has
/// stalled, but may continue: it is then read as after a change.
struct ReloadPause: Sendable {
    private var target: Duration
    /// The pause after a change.
    private var afterChange: Duration
    private var unchanged = 0
    /// The pauses since the playlist changed.
    private(set) var unchangedDuration = Duration.zero
    /// When the last reading began.
    private var startedAt: SteadyInstant?

    init(targetSeconds: Int, startedAt: SteadyInstant? = nil) {
        self.startedAt = startedAt
        target = Self.bounded(targetSeconds)
        afterChange = target
    }

    private static func bounded(_ targetSeconds: Int) -> Duration {
        min(max(.seconds(targetSeconds), Limits.shortestReload), Limits.longestReload)
    }

    /// Takes what the playlists say now.
    mutating func take(targetSeconds: Int, _ listed: [ListedTime]) {
        target = Self.bounded(targetSeconds)
        afterChange = listed.map { $0.pause(target: target) }.min() ?? target
    }

    /// Whether the playlist has not changed for long.
    var hasStalled: Bool { unchanged >= Limits.unchangedLoads }

    func next() -> Duration {
        unchanged == 0 || hasStalled ? afterChange : min(target / 2, afterChange)
    }

    /// What remains of the pause, which counts from the start of the last reading (§6.3.4).
    func remaining(at now: SteadyInstant) -> Duration {
        startedAt.map { max(.zero, next() - (now - $0)) } ?? next()
    }

    mutating func begins(at now: SteadyInstant) {
        startedAt = now
    }

    mutating func reset() {
        (unchanged, unchangedDuration) = (0, .zero)
    }

    mutating func countUnchanged() {
        unchangedDuration += next()
        unchanged += 1
    }
}

/// How much a playlist lists that drops its oldest segments.
struct ListedTime: Sendable {
    private let all: Duration
    private let last: Duration

    /// Nil for a playlist without segments, and for one that keeps them.
    init?(_ playlist: MediaPlaylist) {
        guard !playlist.isEnded, playlist.type == nil, let last = playlist.segments.last else { return nil }
        all = .microseconds(playlist.durationMicroseconds)
        self.last = .microseconds(last.durationMicroseconds)
    }

    /// The pause after a change.
    ///
    /// A playlist has to list three target durations (RFC 8216bis §6.2.2). One that lists less is read again
    /// after its last segment, or after half of what it lists, else segments would pass unseen.
    func pause(target: Duration) -> Duration {
        guard all < target * 3 else { return target }
        return min(target, max(min(last, all / 2), Limits.shortestReload))
    }
}
