package import Telemetry

/// What the program asks of PostgreSQL.
package enum DatabaseMeter {
    /// Registers the counters of statements; `counts` returns those of each pool of connections.
    package static func register(
        counts: @escaping @Sendable () -> [(pool: String, count: Int)], in registry: MetricsRegistry,
    ) {
        registry.onScrape(
            "backcast_database_statements_total", help: "Statements that were sent to PostgreSQL, by pool.",
            kind: .counter
        ) {
            counts().map { ([("pool", $0.pool)], Double($0.count)) }
        }
    }
}
