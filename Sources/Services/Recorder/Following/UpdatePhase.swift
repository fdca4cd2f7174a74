import Concurrency

/// Estimates the phase of a live playlist's updates from its loads.
///
/// Polls that only keep the interval of the standard (RFC 8216bis §6.3.4) keep the phase that they began
/// with: up to a whole segment late, for ever. Adjusting the interval by no more than the usual jitter moves
/// each poll to shortly after an update, and keeps it there.
struct UpdatePhase: Sendable {
    /// How long after an update a poll should happen, as a share of a segment.
    private let goal: Double
    /// The newest segment was listed after this.
    private var earliest: SteadyInstant?
    /// The newest segment was listed by then.
    private var latest: SteadyInstant?
    private var lastLoad: SteadyInstant?
    /// How far the real update interval may differ from the stated durations, as a share of a segment.
    private var slack = 0.001

    /// - Parameter chance: between −1 and 1; playlists that grow at the same instant shall not all be fetched
    ///   at the same instant, so each keeps another distance
    init(chance: Double) {
        goal = 0.1 + 0.05 * min(max(chance, -1), 1)
    }

    /// Records a load that started at `startedAt` and listed `added` new segments; `duration` is that of the
    /// playlist's last segment.
    mutating func loaded(at startedAt: SteadyInstant, added: Int, duration: Duration) {
        let before = lastLoad ?? startedAt - duration
        lastLoad = startedAt
        guard added > 0 else { return }
        // Two at once in little more than the time of one: the playlist grows faster than it says.
        if added > 1, earliest != nil, startedAt - before < duration * 1.5 { slack = min(slack * 8, 0.06) }
        // The bounds from earlier updates, widened by the error of the durations and the encoder's jitter.
        let slack = duration * slack
        let expected = (
            low: earliest.map { $0 + duration - slack } ?? before,
            high: latest.map { $0 + duration + slack } ?? startedAt
        )
        let low = max(before, startedAt - duration, expected.low)
        let high = min(startedAt, expected.high)
        (earliest, latest) = low < high ? (low, high) : (max(before, startedAt - duration), startedAt)
    }

    /// The correction of the pause after a load with new segments, as a share of the last one's duration.
    ///
    /// Between −0.05 and 0.05; below 0 the pause is shorter than the duration.
    func adjustment(duration: Duration, chance: Double) -> Double {
        let jitter = 0.01 * min(max(chance, -1), 1)
        guard let lastLoad, let earliest, let latest else { return jitter }
        let most = (lastLoad - earliest) / duration
        guard most < goal + 0.06 else { return jitter - 0.04 }
        let middle = (most + (lastLoad - latest) / duration) / 2
        return jitter + min(max(goal - middle, -0.04), 0.04)
    }
}
