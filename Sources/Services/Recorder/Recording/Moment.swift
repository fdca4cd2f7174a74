package import Concurrency
package import Timeline

/// When something happened, by both clocks of the host.
package struct Moment: Sendable, Equatable {
    /// The wall clock, from which the dates of segments are made.
    package var date: Instant
    /// The monotonic clock, by which timeouts are measured.
    package var steady: SteadyInstant

    package init(date: Instant, steady: SteadyInstant) {
        self.date = date
        self.steady = steady
    }

    /// The present.
    init(_ clock: HostClock) {
        self.init(date: clock.now(), steady: clock.steady())
    }
}

/// A deterministic source of chance: the same seed gives the same recording.
///
/// SplitMix64; not for secrets.
package struct SeededRandomNumberGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number between −1 and 1.
    mutating func jitter() -> Double {
        .random(in: -1...1, using: &self)
    }
}

extension SteadyInstant? {
    /// The earlier of two times, of which either may never come.
    func orEarlier(_ other: Self) -> Self {
        guard let self, let other else { return self ?? other }
        return min(self, other)
    }
}

/// Times by the clock that recording goes by.
extension RecordingState {
    func moment(_ now: SteadyInstant) -> Moment {
        Moment(date: clock.date(at: now), steady: now)
    }

    func arrival(of fetched: FetchedPlaylist) -> Arrival {
        let steady = fetched.arrival.steady
        return Arrival(
            date: clock.date(at: steady), steady: steady, responseTime: fetched.responseTime.wholeMicroseconds
        )
    }
}
