import Concurrency
import Timeline

/// When a playlist was fetched, by the clock that recording goes by.
struct Arrival: Sendable, Equatable {
    /// When its last byte had arrived.
    var date: Instant
    /// The same by the monotonic clock.
    var steady: SteadyInstant
    /// How long the answer took, microseconds: its newest segment was complete at some time meanwhile.
    var lead: Int64 = 0
    /// What the playlist lists behind the entries that are taken of it, microseconds.
    var behind: Int64 = 0
}
