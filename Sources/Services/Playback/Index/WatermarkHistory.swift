import Timeline

/// Since when a channel is known to be published up to where.
struct WatermarkHistory: Sendable {
    private struct Sight {
        var watermark: Instant
        var at: ContinuousClock.Instant
    }

    private var first: Instant
    private var sights: [Sight] = []

    init(_ watermark: Instant, at: ContinuousClock.Instant) {
        first = watermark
        sights = [Sight(watermark: watermark, at: at)]
    }

    /// Notes what was seen; what is older than `span` and not the newest of that age is of no use any more.
    mutating func note(_ watermark: Instant, at: ContinuousClock.Instant, keeping span: Duration) {
        guard let last = sights.last, watermark > last.watermark, at >= last.at else { return }
        sights.append(Sight(watermark: watermark, at: at))
        while sights.count > 2, sights[1].at <= at - span { sights.removeFirst() }
        // Without one in between less counts as settled, never more.
        if sights.count > Limits.trackedWatermarks { sights.remove(at: 1) }
    }

    /// Up to where everything was published or given up for a span already when the channel was last seen.
    ///
    /// Of the time before the channel was first seen only its own clock can tell.
    func settled(for span: Duration, asOf seen: ContinuousClock.Instant) -> Instant {
        let before = first - span.wholeMicroseconds
        let sight = sights.last { $0.at <= seen - span }
        return max(before, sight?.watermark ?? before)
    }
}
