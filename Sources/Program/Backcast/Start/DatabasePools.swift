import Concurrency
import Logging
import Postgres

/// The process's database connections: the recorder has its own, so that many viewers cannot block its
/// commits.
struct DatabasePools: Sendable {
    let recording: PostgresPool
    let serving: PostgresPool

    init(_ settings: Settings, clock: HostClock, logger: Logger) {
        recording = PostgresPool(
            PoolConfiguration(
                settings.database, size: Limits.recordingConnections,
                applicationName: "backcast recorder", clock: clock), logger: logger)
        serving = PostgresPool(
            PoolConfiguration(
                settings.database, size: Limits.servingConnections, applicationName: "backcast server",
                clock: clock),
            logger: logger)
    }

    func close() async {
        await serving.close()
        await recording.close()
    }
}
