import Synchronization

/// Values that are read at each scrape.
struct ScrapeCollector: Sendable {
    let kind: MetricKind
    let collect: @Sendable () -> [(labels: [(String, String)], value: Double)]

    /// Lines in the order of their labels, at most `limit`, and the number of omitted values.
    ///
    /// The first of two values with equal labels is kept.
    func lines(name: String, limit: Int) -> (text: String, written: Int, refused: Int) {
        let collected = collect()
        var values: [LabelSet: Double] = [:]
        for (labels, value) in collected {
            let labels = LabelSet(labels)
            guard values[labels] == nil, values.count < limit else { continue }
            values[labels] = value
        }
        let text = values.sorted { $0.key < $1.key }.map {
            "\(name)\($0.key.braced) \(Number.text($0.value))\n"
        }
        return (text.joined(), values.count, collected.count - values.count)
    }
}

extension MetricsRegistry {
    /// Reads a family's values at every scrape; a second registration of the name replaces the first.
    ///
    /// `collect` runs on the scraping thread and must not wait. The kind is `.gauge` or `.counter`.
    package func onScrape(
        _ name: String, help: String, unit: String? = nil, kind: MetricKind = .gauge,
        collect: @escaping @Sendable () -> [(labels: [(String, String)], value: Double)],
    ) {
        let full = kind == .counter ? MetricName.counter(name) : MetricName.metric(name)
        describe(full, help: help, unit: unit)
        state.withLock { $0.collectors[full] = ScrapeCollector(kind: kind, collect: collect) }
    }
}
