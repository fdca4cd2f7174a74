import Concurrency
import Timeline

/// When a playlist was fetched, by the clock that recording goes by.
struct Arrival: Sendable, Equatable {
    /// When its last byte had arrived.
    var date: Instant
    /// The same by the monotonic clock.
    var steady: SteadyInstant
    /// How long the response took, microseconds: the newest segment became complete during that time.
    var responseTime: Int64 = 0
    /// Duration of the entries that the playlist lists after those that are taken, microseconds.
    var laterEntriesDuration: Int64 = 0
}
