import Concurrency
import Timeline

/// The time from which the ages of kept files are measured: never later than the host's clock says, and never
/// ahead of the time that has really passed since an earlier process kept its newest file, or looked at the
/// kept ones for the last time.
///
/// A clock that jumps ahead makes every file old at once. A file that this misjudges stays for longer, within
/// the bound of bytes.
struct KeptFileClock: Sendable {
    private let clock: HostClock
    private let start: Instant
    private let started: SteadyInstant

    /// `newest` is the time of the newest file of an earlier process, seconds since 1970; nil if there is
    /// none.
    init(clock: HostClock, newest: Int64?) {
        self.clock = clock
        (start, started) = (newest.map { Instant(seconds: $0) } ?? clock.now(), clock.steady())
    }

    /// Seconds since 1970.
    var now: Int64 {
        let passed = (clock.steady() - started).wholeMicroseconds
        return min(clock.now(), start + passed).microseconds / Microseconds.perSecond
    }
}
