import Concurrency
import Logging
import Postgres

/// The process's database connections: the recorder has its own, so that many viewers cannot block its
/// commits, and so has its heartbeat, so that many commits cannot delay it.
struct DatabasePools: Sendable {
    let recording: PostgresPool
    let heartbeat: PostgresPool
    let serving: PostgresPool

    /// With the role `serve`, the serving pool uses a read-only standby if no server can write.
    init(_ settings: Settings, for role: Role, clock: HostClock, logger: Logger) {
        recording = PostgresPool(
            PoolConfiguration(
                settings.database, size: Limits.recordingConnections,
                lockTimeout: Limits.recordingLockTimeout, applicationName: "backcast recorder", clock: clock),
            logger: logger)
        heartbeat = PostgresPool(
            PoolConfiguration(
                settings.database, size: 1, applicationName: "backcast heartbeat", clock: clock),
            logger: logger)
        serving = PostgresPool(
            PoolConfiguration(
                settings.database, size: Limits.servingConnections, applicationName: "backcast server",
                readsFromStandby: role == .serve, clock: clock),
            logger: logger)
    }

    /// Statements that each pool has sent.
    var statementCounts: [(pool: String, count: Int)] {
        [("recorder", recording), ("heartbeat", heartbeat), ("server", serving)].map {
            ($0.0, $0.1.statementCount)
        }
    }

    func close() async {
        await serving.close()
        await heartbeat.close()
        await recording.close()
    }
}
