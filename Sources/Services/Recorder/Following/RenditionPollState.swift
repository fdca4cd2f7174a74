import Concurrency
import HLS
import HTTP
import Timeline

/// Where the polling of one media playlist stands.
struct RenditionPollState: Sendable {
    /// A playlist that waits for what the bytes of one of its segments say.
    struct DoubtfulPlaylist: Sendable {
        var playlist: MediaPlaylist
        var fetched: FetchedPlaylist
        /// The next try to read the segment; nil while one is under way.
        var retry: (request: ProbeRequest, at: SteadyInstant)?
    }

    var timing: PollTiming
    /// When the last load began.
    private(set) var startedAt: SteadyInstant
    /// When the playlist is asked for again; nil while an answer is awaited.
    private(set) var next: SteadyInstant?
    @Boxed var doubt: DoubtfulPlaylist? {
        didSet { retryAt = doubt?.retry?.at }
    }
    /// When the segment in question is tried again; each event asks for it.
    private(set) var retryAt: SteadyInstant?
    /// Playlists in a row that could not be judged.
    private var doubtfulCount = 0

    init(now: SteadyInstant, chance: Double) {
        timing = PollTiming(now: now, chance: chance)
        startedAt = now
        next = now
    }

    mutating func begin(at now: SteadyInstant) {
        (startedAt, next) = (now, nil)
    }

    /// The playlist could not be judged; false when it was the last that may stay in doubt.
    mutating func keepInDoubt(until time: SteadyInstant) -> Bool {
        doubtfulCount += 1
        guard doubtfulCount < Limits.doubtfulPlaylists else { return false }
        (doubt, next) = (nil, time)
        return true
    }

    /// Waits as long as the standard wants, from the start of the last load on (RFC 8216bis §6.3.4).
    mutating func scheduleNext(now: SteadyInstant, chance: Double) {
        if doubt != nil { doubt = nil }
        doubtfulCount = 0
        next = max(startedAt + .microseconds(timing.adjustedPause(chance: chance)), now + .milliseconds(100))
    }
}
