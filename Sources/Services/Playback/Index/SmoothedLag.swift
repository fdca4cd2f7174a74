import Concurrency
import Timeline

/// How far the end of a channel is behind the clock in normal operation, smoothed for viewers that follow the
/// clock.
///
/// It grows at most half as fast as the clock. "Now minus the lag" therefore slows down for a while if a
/// channel resumes later than before, and never moves backwards.
struct SmoothedLag: Sendable {
    private var previous: Int64
    private var since: SteadyInstant
    private var present: Int64

    /// Starts with a lag in microseconds.
    init(_ lag: Int64, at instant: SteadyInstant) {
        previous = lag
        since = instant
        present = lag
    }

    mutating func note(_ lag: Int64, at instant: SteadyInstant) {
        previous = value(at: instant)
        since = instant
        present = lag
    }

    /// The lag at an instant, microseconds.
    func value(at instant: SteadyInstant) -> Int64 {
        min(present, previous + max(0, (instant - since).wholeMicroseconds / 2))
    }
}
