package import Telemetry

/// Whether retention follows the clock.
package enum RetentionMeter {
    /// Registers the metric of retention; `heldBackSeconds` is asked at each scrape and must not wait.
    package static func register(
        heldBackSeconds: @escaping @Sendable () -> Double, in registry: MetricsRegistry,
    ) {
        registry.onScrape(
            "backcast_retention_held_back_seconds",
            help: "How far the clocks are ahead of the time that retention goes by; over 0 after a jump."
        ) { [([], heldBackSeconds())] }
    }
}
