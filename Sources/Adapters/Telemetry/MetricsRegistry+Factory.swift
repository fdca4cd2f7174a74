package import CoreMetrics

extension MetricsRegistry: MetricsFactory {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(.counter, MetricName.counter(label), dimensions) { _ in CountInstrument() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)],
    ) -> any FloatingPointCounterHandler {
        instrument(.counter, MetricName.counter(label), dimensions) { _ in SumInstrument() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(.gauge, MetricName.metric(label), dimensions) { _ in GaugeInstrument() }
    }

    /// An aggregating recorder is a histogram, another keeps its last value.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool,
    ) -> any RecorderHandler {
        let name = MetricName.metric(label)
        guard aggregate else { return instrument(.gauge, name, dimensions) { _ in GaugeInstrument() } }
        return instrument(.histogram, name, dimensions) {
            HistogramInstrument(bounds: $0 ?? HistogramBounds.quantities)
        }
    }

    /// A histogram in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(.histogram, MetricName.metric(label), dimensions) {
            HistogramInstrument(bounds: $0 ?? HistogramBounds.seconds)
        }
    }

    package func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }

    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { destroy(handler) }

    package func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }

    package func destroyRecorder(_ handler: any RecorderHandler) { destroy(handler) }

    package func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

    /// Handlers of another backend are not removed.
    private func destroy(_ handler: AnyObject) {
        guard let instrument = handler as? any Instrument else { return }
        remove(instrument)
    }
}
