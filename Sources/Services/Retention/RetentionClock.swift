import Concurrency
import Synchronization
import Timeline

/// The time from which ages are measured: never later than any clock says, and never ahead of the time that
/// has really passed.
///
/// A clock that is set to a later date makes every segment old at once, and what has expired cannot be
/// restored. So between two readings this time moves on by the steady time and a minute at most.
package final class RetentionClock: Sendable {
    private struct State {
        /// The last time that was given, and when.
        var last: (time: Instant, steady: SteadyInstant)?
        var heldBack: Int64 = 0
    }

    private let state = Mutex(State())

    /// Seconds that the clocks are ahead of the time from which ages are measured; zero in normal operation.
    ///
    /// Until the first time is known, how far the two clocks are apart.
    package var heldBackSeconds: Double {
        Microseconds.seconds(state.withLock { $0.heldBack })
    }

    /// The next time, from the clocks of the host and of the database.
    ///
    /// - Returns: nil after a start, until the two clocks agree: nothing else is known then
    func read(host: Instant, database: Instant, steady: SteadyInstant) -> Instant? {
        state.withLock { state in
            let clocks = min(host, database)
            guard let last = state.last else {
                let difference = abs(host - database)
                let agree = difference <= Limits.clockTolerance
                state.heldBack = agree ? 0 : difference
                if agree { state.last = (clocks, steady) }
                return agree ? clocks : nil
            }
            let passed = max(0, (steady - last.steady).wholeMicroseconds)
            let time = min(clocks, last.time + passed + Limits.clockTolerance)
            state.last = (time, steady)
            state.heldBack = clocks - time
            return time
        }
    }
}
