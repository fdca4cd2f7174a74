import Concurrency
import Timeline

/// When each watermark of a channel was first seen.
struct WatermarkHistory: Sendable {
    private struct Observation {
        var watermark: Instant
        var at: SteadyInstant
    }

    private var first: Instant
    private var observations: [Observation] = []

    init(_ watermark: Instant, at: SteadyInstant) {
        first = watermark
        observations = [Observation(watermark: watermark, at: at)]
    }

    /// Adds a watermark; entries older than `span` are dropped, except the newest of them.
    mutating func note(_ watermark: Instant, at: SteadyInstant, keeping span: Duration) {
        guard let last = observations.last, watermark > last.watermark, at >= last.at else { return }
        observations.append(Observation(watermark: watermark, at: at))
        while observations.count > 2, observations[1].at <= at - span { observations.removeFirst() }
        // Dropping an entry in between makes the settled part smaller, never larger.
        if observations.count > Limits.trackedWatermarks { observations.remove(at: 1) }
    }

    /// The newest watermark that had been known for `span` at the instant `seen`.
    ///
    /// Before the first entry only the channel's own clock is known: it is the first watermark minus `span`.
    func settled(for span: Duration, asOf seen: SteadyInstant) -> Instant {
        let before = first - span.wholeMicroseconds
        let sight = observations.last { $0.at <= seen - span }
        return max(before, sight?.watermark ?? before)
    }
}
