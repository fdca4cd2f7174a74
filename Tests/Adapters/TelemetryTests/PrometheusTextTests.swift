import CoreMetrics
import Testing

@testable import Telemetry

@Suite("Prometheus text, format 0.0.4")
struct PrometheusTextTests {
    private let ownLines = """
        # HELP backcast_metrics_series_dropped_total Series that were not shown: the bound was reached or the \
        name had another kind.
        # TYPE backcast_metrics_series_dropped_total counter

        """

    private func text(_ registry: MetricsRegistry) -> String {
        String(decoding: registry.prometheusText(), as: UTF8.self)
    }

    @Test("An empty registry has only the number of refused series")
    func empty() {
        #expect(text(MetricsRegistry()) == ownLines + "backcast_metrics_series_dropped_total 0\n")
    }

    @Test("Counters end in _total, come with HELP and TYPE, and series stand in the order of their labels")
    func counters() {
        let registry = MetricsRegistry()
        registry.describe("a_total", help: "Things\nseen \\ kept")
        registry.makeCounter(label: "a", dimensions: [("channel", "two")]).increment(by: 2)
        registry.makeCounter(label: "a", dimensions: [("channel", "one")]).increment(by: 1)
        registry.makeCounter(label: "a_total", dimensions: [("channel", "one")]).increment(by: 1)
        #expect(
            text(registry).hasPrefix(
                """
                # HELP a_total Things\\nseen \\\\ kept
                # TYPE a_total counter
                a_total{channel="one"} 2
                a_total{channel="two"} 2

                """))
    }

    @Test("A label's value is escaped and its name made valid")
    func labels() {
        let registry = MetricsRegistry()
        registry.makeMeter(label: "0 bad-name", dimensions: [("le", "x"), ("a-b", "q\"\\\n")]).set(1.5)
        #expect(text(registry).contains("_0_bad_name{a_b=\"q\\\"\\\\\\n\",exported_le=\"x\"} 1.5\n"))
    }

    @Test("A timer is a histogram in seconds with cumulative buckets")
    func timer() {
        let registry = MetricsRegistry()
        registry.describe("t_seconds", help: "Time", unit: "seconds", bounds: [1, 0.5, .infinity])
        let timer = registry.makeTimer(label: "t_seconds", dimensions: [])
        timer.recordNanoseconds(500_000_000)
        timer.recordNanoseconds(750_000_000)
        timer.recordNanoseconds(2_000_000_000)
        #expect(
            text(registry).hasSuffix(
                """
                # HELP t_seconds Time (seconds)
                # TYPE t_seconds histogram
                t_seconds_bucket{le="0.5"} 1
                t_seconds_bucket{le="1"} 2
                t_seconds_bucket{le="+Inf"} 3
                t_seconds_sum 3.25
                t_seconds_count 3

                """))
    }

    @Test(
        "Numbers are written in the form of the format",
        arguments: [
            (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (3, "3"), (-0.25, "-0.25"),
            (9e18, "9e+18"),
        ])
    func numbers(value: Double, expected: String) {
        #expect(Number.text(value) == expected)
    }
}
