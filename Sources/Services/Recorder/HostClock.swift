import Glibc
package import Timeline

/// The host's wall clock, as a value so that tests can bring their own.
package struct HostClock: Sendable {
    package var now: @Sendable () -> Instant

    package init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    package static let system = HostClock {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
