import Synchronization

/// Every metric of the process: the backend of swift-metrics, and what a scrape answers.
///
/// Names are taken as given, so callers write the program's prefix themselves. A handler that was refused
/// (the bound is reached, or the name already has another kind) works but is never shown.
package final class MetricsRegistry: Sendable {
    struct State {
        var families: [String: MetricFamily] = [:]
        var descriptions: [String: MetricDescription] = [:]
        var collectors: [String: ScrapeCollector] = [:]
        /// Where each shown instrument stands, so that removing one costs no search.
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

    /// Says what a family is for.
    ///
    /// Bounds hold for histograms that are made afterwards; finite and rising.
    package func describe(_ name: String, help: String, unit: String? = nil, bounds: [Double]? = nil) {
        let usable = bounds.map { Array(Set($0.filter(\.isFinite))).sorted() }
        state.withLock {
            $0.descriptions[MetricName.metric(name)] = MetricDescription(
                help: help, unit: unit, bounds: usable)
        }
    }

    /// The instrument of this name and these labels, made when it is new.
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

    /// Takes an instrument out of the answers; one that is not in them is not an error.
    func remove(_ instrument: any Instrument) {
        state.withLock { $0.leave(instrument) }
    }
}

extension MetricsRegistry.State {
    /// Shows a new instrument, or counts it as refused.
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
