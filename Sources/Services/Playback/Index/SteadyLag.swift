import Timeline

/// How far the end of a channel lies behind the clock in normal running, as those who go by the clock see it.
///
/// It grows at half the pace of the clock at most: "now less the lag" slows down for a while when a channel comes back
/// later than it went, and never runs back.
struct SteadyLag: Sendable {
    private var former: Int64
    private var since: ContinuousClock.Instant
    private var present: Int64

    /// Begins with a lag, microseconds.
    init(_ lag: Int64, at instant: ContinuousClock.Instant) {
        former = lag
        since = instant
        present = lag
    }

    mutating func note(_ lag: Int64, at instant: ContinuousClock.Instant) {
        former = value(at: instant)
        since = instant
        present = lag
    }

    /// Microseconds.
    func value(at instant: ContinuousClock.Instant) -> Int64 {
        min(present, former + max(0, (instant - since).wholeMicroseconds / 2))
    }
}
