import Concurrency
import HLS
import Timeline

/// The polling of one media playlist: how long the next pause is, and whether the playlist brings anything
/// new.
///
/// Decides only; it has no clock.
struct PollTiming: Sendable {
    /// Loads that failed one after the other.
    private(set) var failures = 0
    /// Microseconds until the next load, from the start of the last one, before the random part is added.
    private(set) var pause: Int64 = 0
    private var phase: UpdatePhase
    /// The number that the next segment will have in the playlist.
    private var end: UInt64?
    /// Whether the pause is the duration of the last segment: then it may be adjusted to the update phase.
    private var isAdjustable = false
    /// The playlist's target duration in microseconds.
    private(set) var target: Int64 = 4_000_000
    /// The median duration of the segments that the playlist last listed, microseconds.
    private var usualDuration: Int64 = 0
    /// What the playlist last held, microseconds.
    private(set) var playlistLength: Int64 = 0
    /// When something new last came.
    private(set) var lastChange: SteadyInstant
    /// The duration of the playlist's last segment in microseconds.
    private var lastDuration: Int64 = 4_000_000
    private var isEnded = false
    /// Measures the ratio of the real segment duration to EXTINF.
    private var pace = SegmentPace()

    /// `chance` is between −1 and 1, and serves for the playlist's lifetime.
    init(now: SteadyInstant, chance: Double) {
        lastChange = now
        phase = UpdatePhase(chance: chance)
    }

    /// Records a load, with the instants at which it began and ended.
    ///
    /// The numbers of a stale playlist, which is ignored, tell nothing of the pace.
    mutating func loaded(
        _ playlist: MediaPlaylist, changed: Bool, isStale: Bool = false, startedAt: SteadyInstant,
        now: SteadyInstant,
    ) {
        failures = 0
        if !playlist.segments.isEmpty || playlist.targetDurationSeconds != nil {
            target = PlaylistFollower.target(of: playlist)
        }
        if changed { lastChange = now }
        if !playlist.segments.isEmpty {
            playlistLength = PlaylistFollower.length(of: playlist)
            let durations = playlist.segments.compactMap(PlaylistFollower.duration).sorted()
            usualDuration = durations.isEmpty ? 0 : durations[durations.count / 2]
        }
        if !isStale { pace.loaded(playlist, length: playlistLength, startedAt: startedAt, now: now) }
        let last = playlist.segments.last?.durationMicroseconds ?? target
        (isEnded, lastDuration) = (playlist.isEnded, last)
        pause = pauseAfterLoad(changed: changed, length: playlist.durationMicroseconds, now: now)
        phase.loaded(at: startedAt, added: changed ? added(playlist) : 0, duration: .microseconds(last))
        isAdjustable = changed && pause == last
    }

    /// How many segments a playlist that brought something has more than the one before.
    private mutating func added(_ playlist: MediaPlaylist) -> Int {
        let before = end
        end = playlist.mediaSequence &+ UInt64(playlist.segments.count)
        guard let before, let end, end > before, end - before < playlist.segments.count else { return 1 }
        return Int(end - before)
    }

    /// A load that was begun at one instant and over at another brought the same playlist as the one before.
    mutating func unchanged(startedAt: SteadyInstant, now: SteadyInstant) {
        (failures, isAdjustable) = (0, false)
        pace.unchanged(startedAt: startedAt, now: now)
        pause = pauseAfterLoad(changed: false, length: playlistLength, now: now)
        phase.loaded(at: startedAt, added: 0, duration: .microseconds(lastDuration))
    }

    /// How long the source can be expected to hold what it lists now (RFC 8216bis §6.2.2).
    var availability: Duration { .microseconds(min(playlistLength, Limits.longestRetry) + target) }

    private func pauseAfterLoad(changed: Bool, length: Int64, now: SteadyInstant) -> Int64 {
        isEnded
            ? PollInterval.afterEnd(target: target, playlistLength: playlistLength, lasting: now - lastChange)
            : PollInterval.afterLoad(
                changed: changed, lastDuration: real(lastDuration), target: real(target),
                playlistLength: real(length))
    }

    /// How long what EXTINF says takes in reality, both microseconds.
    private func real(_ stated: Int64) -> Int64 {
        pace.share < 1 ? Int64(Double(stated) * pace.share) : stated
    }

    /// Whether the request may be conditional: not after so long without a change that a 304 may be wrong.
    func mayAskConditionally(now: SteadyInstant) -> Bool { now - lastChange <= patience }

    /// Restarts the timing, because the playlist is now requested from another stream.
    mutating func beginStream(now: SteadyInstant) {
        (failures, lastChange, isAdjustable, pause, pace) = (0, now, false, 0, SegmentPace())
    }

    mutating func failed(now: SteadyInstant) {
        failures += 1
        isAdjustable = false
        pause = PollInterval.afterFailure(
            failures, target: target, playlistLength: playlistLength, lasting: now - lastChange)
    }

    /// The pause with jitter of at most 5 %, microseconds; `chance` is between −1 and 1.
    ///
    /// After a failure or the end it is never longer: what the source lists by then must not be missed.
    func adjustedPause(chance: Double) -> Int64 {
        if failures > 0 || isEnded { return PollInterval.shortened(pause, chance: chance) }
        guard isAdjustable else { return PollInterval.jittered(pause, chance: chance) }
        return pause + Int64(Double(pause) * phase.adjustment(duration: .microseconds(pause), chance: chance))
    }

    /// How long a source may bring nothing: three target durations, or three of its usual segments where
    /// these are longer than it says.
    var patience: Duration { .microseconds(3 * max(target, real(usualDuration))) }

    /// Why nothing comes at the moment; nil while something does.
    func absence(now: SteadyInstant) -> GapReason? {
        if failures >= 2 { return .sourceUnreachable }
        guard now - lastChange > patience else { return nil }
        return isEnded ? .sourceEnded : .sourceStalled
    }

    /// How well the playlist delivers: nothing new for three target durations is as bad as failing for long
    /// (RFC 8216bis §6.3.4).
    func condition(now: SteadyInstant) -> SourceCondition {
        if failures >= 4 || now - lastChange > patience { return .down }
        return failures >= 2 ? .failing : .healthy
    }
}

/// How well a playlist, or a source as a whole, delivers.
enum SourceCondition: Int, Comparable, Sendable {
    case healthy
    /// It fails at the moment.
    case failing
    /// It has brought nothing for so long that another source may do better.
    case down

    static func < (a: SourceCondition, b: SourceCondition) -> Bool { a.rawValue < b.rawValue }
}
