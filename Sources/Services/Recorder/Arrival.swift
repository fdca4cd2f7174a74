import Concurrency
import Timeline

/// When a list came, by both clocks of the host.
struct Arrival: Sendable {
    /// On the wall clock, from which dates are made.
    var date: Instant
    /// On the clock that only ever goes on, by which patience is measured.
    var moment: ContinuousClock.Instant

    init(date: Instant, moment: ContinuousClock.Instant) {
        self.date = date
        self.moment = moment
    }

    init(by clock: HostClock) {
        self.init(date: clock.now(), moment: clock.steady())
    }
}
