import Concurrency

/// The pause before a live playlist is read again (RFC 8216bis §6.3.4).
///
/// A playlist that has not changed for long has stalled, but may continue: it is then read once per target
/// duration. Nothing is lost, since it lists at least three target durations (§6.2.2).
struct ReloadPause: Sendable {
    private let target: Duration
    private var unchanged = 0
    /// The pauses since the playlist changed.
    private(set) var unchangedDuration = Duration.zero
    /// When the last reading began.
    private var startedAt: SteadyInstant?

    init(targetSeconds: Int, startedAt: SteadyInstant? = nil) {
        self.startedAt = startedAt
        target = min(max(.seconds(targetSeconds), Limits.shortestReload), Limits.longestReload)
    }

    /// Whether the playlist has not changed for long.
    var hasStalled: Bool { unchanged >= Limits.unchangedLoads }

    func next() -> Duration {
        unchanged == 0 || hasStalled ? target : target / 2
    }

    /// What remains of the pause, which counts from the start of the last reading (§6.3.4).
    func remaining(at now: SteadyInstant) -> Duration {
        startedAt.map { max(.zero, next() - (now - $0)) } ?? next()
    }

    mutating func begins(at now: SteadyInstant) {
        startedAt = now
    }

    mutating func reset() {
        (unchanged, unchangedDuration) = (0, .zero)
    }

    mutating func countUnchanged() {
        unchangedDuration += next()
        unchanged += 1
    }
}
