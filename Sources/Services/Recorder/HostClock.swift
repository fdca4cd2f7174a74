import Glibc
package import Timeline

/// The host's clocks, as a value so that tests can bring their own.
package struct HostClock: Sendable {
    /// The wall's time, which an operator or NTP may set.
    package var now: @Sendable () -> Instant
    /// A clock that only goes on: waiting is measured with it.
    package var steady: @Sendable () -> ContinuousClock.Instant

    package init(
        now: @escaping @Sendable () -> Instant,
        steady: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    ) {
        self.now = now
        self.steady = steady
    }

    package static let system = HostClock {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
