import Synchronization

/// Every metric of the process: the backend of swift-metrics, and the answer to a scrape.
///
/// Names are used as given, so callers add the program's prefix. A handler that was refused (the bound is
/// reached, or the name already has another kind) works but is not shown.
package final class MetricsRegistry: Sendable {
    struct State {
        var families: [String: MetricFamily] = [:]
        var descriptions: [String: MetricDescription] = [:]
        var collectors: [String: ScrapeCollector] = [:]
        /// The position of each shown instrument, so that removal does not need a search.
        var places: [ObjectIdentifier: (name: String, labels: LabelSet)] = [:]
        var lineCount = 0
        var refusedCount: UInt64 = 0
    }

    /// The counter of refused series.
    static let refusedName = "backcast_metrics_series_dropped_total"

    let state = Mutex(State())
    let seriesLimit: Int

    package init(seriesLimit: Int = Limits.series) {
        self.seriesLimit = seriesLimit
    }

    /// Sets the description of a family.
    ///
    /// Bounds apply to histograms that are created later; they are finite and increasing.
    package func describe(_ name: String, help: String, unit: String? = nil, bounds: [Double]? = nil) {
        let usable = bounds.map { Array(Set($0.filter(\.isFinite))).sorted() }
        state.withLock {
            $0.descriptions[MetricName.metric(name)] = MetricDescription(
                help: help, unit: unit, bounds: usable)
        }
    }

    /// The instrument with this name and these labels, created if it is new.
    func instrument<Made: Instrument>(
        _ kind: MetricKind, _ name: String, _ dimensions: [(String, String)], make: ([Double]?) -> Made,
    ) -> Made {
        let labels = LabelSet(dimensions)
        return state.withLock { state in
            if let known = state.families[name]?.series[labels] as? Made { return known }
            let made = make(state.descriptions[name]?.bounds)
            state.enter(made, kind: kind, name: name, labels: labels, limit: seriesLimit)
            return made
        }
    }

    /// Removes an instrument from the answers; an unknown one is not an error.
    func remove(_ instrument: any Instrument) {
        state.withLock { $0.leave(instrument) }
    }
}

extension MetricsRegistry.State {
    /// Adds a new instrument, or counts it as refused.
    fileprivate mutating func enter(
        _ instrument: any Instrument, kind: MetricKind, name: String, labels: LabelSet, limit: Int,
    ) {
        let family = families[name] ?? MetricFamily(kind: kind)
        let fits = lineCount + instrument.lineCount <= limit
        guard fits, family.kind == kind, family.series[labels] == nil, name != MetricsRegistry.refusedName
        else {
            refusedCount &+= 1
            return
        }
        families[name, default: family].series[labels] = instrument
        places[ObjectIdentifier(instrument)] = (name, labels)
        lineCount += instrument.lineCount
    }

    fileprivate mutating func leave(_ instrument: any Instrument) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(instrument)) else { return }
        families[place.name]?.series[place.labels] = nil
        if families[place.name]?.series.isEmpty == true { families[place.name] = nil }
        lineCount -= instrument.lineCount
    }
}
