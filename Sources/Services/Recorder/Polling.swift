import HLS
import Timeline

/// How the polling of one media playlist goes: what the next pause is, and whether the list brings anything.
///
/// Decides only; it has no clock.
struct Polling: Sendable {
    /// Loads that failed one after the other.
    private(set) var failures = 0
    /// Microseconds until the next load, from the start of the last one.
    private(set) var pause: Int64 = 0
    /// The list's target duration in microseconds.
    private var target: Int64 = 4_000_000
    private var lastNews: ContinuousClock.Instant

    init(now: ContinuousClock.Instant) {
        lastNews = now
    }

    mutating func loaded(_ list: MediaPlaylist, changed: Bool, now: ContinuousClock.Instant) {
        failures = 0
        target = PlaylistFollower.target(of: list)
        if changed { lastNews = now }
        pause =
            list.isEnded
            ? PollPace.afterEnd
            : PollPace.afterLoad(
                changed: changed, lastDuration: list.segments.last?.durationMicroseconds ?? target,
                target: target, listLength: list.durationMicroseconds)
    }

    mutating func failed() {
        failures += 1
        pause = PollPace.afterFailure(failures, target: target)
    }

    /// What is to be said of the list: nothing new for three target durations is as bad as failing for long
    /// (RFC 8216bis §6.3.4).
    func condition(now: ContinuousClock.Instant) -> SourceCondition {
        if failures >= 4 || now - lastNews > .microseconds(3 * target) { return .barren }
        return failures >= 2 ? .failing : .well
    }
}

/// How well a list, or a source as a whole, delivers.
enum SourceCondition: Int, Comparable, Sendable {
    case well
    /// It cannot be had for the moment.
    case failing
    /// It has brought nothing for so long that another source may do better.
    case barren

    static func < (a: SourceCondition, b: SourceCondition) -> Bool { a.rawValue < b.rawValue }
}
