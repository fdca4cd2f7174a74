import Glibc
package import Timeline

/// The clocks of the host, as a value that is handed down: code that reads the time or waits takes one.
///
/// A test hands down a clock that it moves by hand.
package struct HostClock: Sendable {
    /// The wall clock, which may be set at any time: for dates only.
    package var now: @Sendable () -> Instant
    /// The clock that is never set: for pauses, deadlines and time limits.
    package var steady: @Sendable () -> SteadyInstant
    private let sleep: @Sendable (SteadyInstant) async throws -> Void

    /// Makes a clock; `sleep` returns when `steady` has reached an instant, and throws when its task is
    /// cancelled.
    package init(
        now: @escaping @Sendable () -> Instant,
        steady: @escaping @Sendable () -> SteadyInstant,
        sleep: @escaping @Sendable (SteadyInstant) async throws -> Void,
    ) {
        self.now = now
        self.steady = steady
        self.sleep = sleep
    }

    /// Sleeps until `steady` has reached an instant; returns at once when that has passed.
    package func sleep(until instant: SteadyInstant) async throws(CancellationError) {
        do {
            try await sleep(instant)
        } catch {
            throw CancellationError()
        }
    }

    /// Sleeps for a time that `steady` measures.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleep(until: steady() + duration)
    }
}

extension HostClock {
    /// The clocks of this host.
    package static let system = HostClock(
        now: {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
        },
        steady: { .now }, sleep: { try await $0.sleep() })
}
