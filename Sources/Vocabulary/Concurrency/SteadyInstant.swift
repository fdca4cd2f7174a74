/// An instant of the host's monotonic clock, which also runs while the host sleeps.
///
/// It is the standard library's `ContinuousClock.Instant` with a layout that the compiler knows. Copies of
/// values that contain the library's type are made field by field, with function calls.
package struct SteadyInstant: Comparable, Hashable, Sendable {
    /// Since an instant that differs with each process.
    private var offset: Duration

    private static let origin = ContinuousClock.now

    private init(offset: Duration) {
        self.offset = offset
    }

    package static var now: SteadyInstant { SteadyInstant(offset: origin.duration(to: .now)) }

    package static func + (instant: SteadyInstant, duration: Duration) -> SteadyInstant {
        SteadyInstant(offset: instant.offset + duration)
    }

    package static func - (instant: SteadyInstant, duration: Duration) -> SteadyInstant {
        SteadyInstant(offset: instant.offset - duration)
    }

    package static func - (instant: SteadyInstant, other: SteadyInstant) -> Duration {
        instant.offset - other.offset
    }

    package static func += (instant: inout SteadyInstant, duration: Duration) {
        instant.offset += duration
    }

    package static func -= (instant: inout SteadyInstant, duration: Duration) {
        instant.offset -= duration
    }

    package static func < (one: SteadyInstant, other: SteadyInstant) -> Bool { one.offset < other.offset }

    /// Returns when the clock has reached the instant; throws when its task is cancelled.
    package func sleep() async throws {
        try await ContinuousClock().sleep(until: Self.origin.advanced(by: offset))
    }
}
