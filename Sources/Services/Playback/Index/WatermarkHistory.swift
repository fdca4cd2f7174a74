import Concurrency
import Timeline

/// When each watermark of a channel was first seen.
struct WatermarkHistory: Sendable {
    private struct Sight {
        var watermark: Instant
        var at: SteadyInstant
    }

    private var first: Instant
    private var sights: [Sight] = []

    init(_ watermark: Instant, at: SteadyInstant) {
        first = watermark
        sights = [Sight(watermark: watermark, at: at)]
    }

    /// Adds a watermark; entries older than `span` are dropped, except the newest of them.
    mutating func note(_ watermark: Instant, at: SteadyInstant, keeping span: Duration) {
        guard let last = sights.last, watermark > last.watermark, at >= last.at else { return }
        sights.append(Sight(watermark: watermark, at: at))
        while sights.count > 2, sights[1].at <= at - span { sights.removeFirst() }
        // Dropping an entry in between makes the settled part smaller, never larger.
        if sights.count > Limits.trackedWatermarks { sights.remove(at: 1) }
    }

    /// The newest watermark that had been known for `span` at the instant `seen`.
    ///
    /// Before the first entry only the channel's own clock is known: it is the first watermark minus `span`.
    func settled(for span: Duration, asOf seen: SteadyInstant) -> Instant {
        let before = first - span.wholeMicroseconds
        let sight = sights.last { $0.at <= seen - span }
        return max(before, sight?.watermark ?? before)
    }
}
