import Catalogue
import Concurrency
import Synchronization
import Timeline

/// The time from which ages are measured: never later than any clock says, and never ahead of the time that
/// has really passed.
///
/// A clock that is set to a later date makes every segment old at once, and what has expired cannot be
/// restored. So between two readings this time advances by the steady time. It advances by up to a minute
/// more only if the clocks are ahead by no more than that, or have stayed ahead for a day. After a start it
/// continues from the end of what was recorded before, until the clocks have run evenly for some minutes:
/// both may be clocks of the same machine, and wrong.
package final class RetentionClock: Sendable {
    fileprivate struct State {
        /// The last time that was given, and when.
        var last: (time: Instant, steady: SteadyInstant)?
        var heldBack: Int64 = 0
        /// Whether the clocks agreed with what was recorded, or have run evenly for long enough.
        var isTrusted = false
        /// What the clocks said when they began to run evenly.
        var evenSince: (clocks: Instant, steady: SteadyInstant)?
    }

    private let state = Mutex(State())

    /// Seconds that the clocks are ahead of the time from which ages are measured; zero in normal operation.
    ///
    /// Until the first time is known, how far the two clocks are apart.
    package var heldBackSeconds: Double {
        Microseconds.seconds(state.withLock { $0.heldBack })
    }

    /// Whether a first time has been given.
    var isKnown: Bool { state.withLock { $0.last != nil } }

    /// Whether the clocks are trusted; jumps are held back all the same.
    var isTrusted: Bool { state.withLock { $0.isTrusted } }

    /// The next time, from the clocks of the host and of the database.
    ///
    /// `recorded` is what was recorded before the start; it counts until a time is known.
    ///
    /// - Returns: nil after a start until the two clocks agree; where the end of older recordings is not
    ///   known, nil until the clocks have run evenly
    func read(
        host: Instant, database: Instant, steady: SteadyInstant, recorded: RecordedBefore,
    ) -> Instant? {
        let clocks = min(host, database)
        return state.withLock { state in
            if state.last == nil, abs(host - database) > Limits.clockTolerance {
                state.heldBack = abs(host - database)
                return nil
            }
            let evenTime = state.evenTime(clocks, steady)
            let time =
                !state.isTrusted && evenTime >= Limits.evenClockTime
                ? clocks : state.next(clocks, steady, recorded, evenTime)
            state.heldBack = time.map { clocks - $0 } ?? 0
            guard let time else { return nil }
            // A clock that is behind for a moment does not take the time back.
            let isBrief = state.isTrusted && evenTime < Limits.evenClockTime
            let expected = state.last.map { $0.time + max(0, (steady - $0.steady).wholeMicroseconds) }
            state.last = (isBrief ? max(time, expected ?? time) : time, steady)
            if state.heldBack == 0 { state.isTrusted = true }
            return time
        }
    }
}

extension RetentionClock.State {
    /// For how long the clocks have run as evenly as the steady clock.
    fileprivate mutating func evenTime(_ clocks: Instant, _ steady: SteadyInstant) -> Duration {
        guard let since = evenSince,
            abs(clocks - since.clocks - (steady - since.steady).wholeMicroseconds) <= Limits.clockTolerance
        else {
            evenSince = (clocks, steady)
            return .zero
        }
        return steady - since.steady
    }

    fileprivate func next(
        _ clocks: Instant, _ steady: SteadyInstant, _ recorded: RecordedBefore, _ evenTime: Duration,
    ) -> Instant? {
        guard let last else {
            switch recorded {
            case .nothing: return clocks
            case .until(let end): return min(clocks, end + Limits.clockTolerance)
            case .unknown: return nil
            }
        }
        let expected = last.time + max(0, (steady - last.steady).wholeMicroseconds)
        // A minute in each round would follow a jump, too, if more slowly.
        let isFollowed = clocks - expected <= Limits.clockTolerance || evenTime >= Limits.jumpTime
        return min(clocks, isTrusted && isFollowed ? expected + Limits.clockTolerance : expected)
    }
}
