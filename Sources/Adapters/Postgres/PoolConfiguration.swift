/// How a pool connects and how long anything may take.
package struct PoolConfiguration: Sendable {
    package var connection: ConnectionString
    /// Most connections open at once.
    package var size: Int
    /// The server ends a statement that takes longer.
    package var statementTimeout: Duration
    /// Longest time to make one connection, all addresses together.
    package var connectTimeout: Duration
    /// Longest wait for a connection to become free.
    package var acquireTimeout: Duration
    /// How the connections call themselves in `pg_stat_activity`, unless the connection string says.
    package var applicationName: String

    package init(
        _ connection: ConnectionString, size: Int = 4, statementTimeout: Duration = .seconds(30),
        connectTimeout: Duration = .seconds(5), acquireTimeout: Duration = .seconds(10),
        applicationName: String = "backcast"
    ) {
        self.connection = connection
        self.size = min(max(1, size), Limits.poolSize)
        self.statementTimeout = statementTimeout
        self.connectTimeout = connectTimeout
        self.acquireTimeout = acquireTimeout
        self.applicationName = applicationName
    }
}

extension PoolConfiguration {
    /// What libpq is told, in order: a later entry wins, so the connection string may override what is before it.
    ///
    /// A peer that is gone is noticed after a minute at most (keepalives for reading, user timeout for writing).
    var libpqParameters: [(keyword: String, value: String)] {
        [
            ("application_name", applicationName),
            ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
            ("dbname", connection.secret),
            ("client_encoding", "UTF8"),
        ]
    }

    /// What each session is told first.
    ///
    /// A transaction left open by a lost program must not hold its locks.
    var sessionSettings: String {
        """
        SET statement_timeout = \(statementTimeout.wholeMilliseconds); SET jit = off; SET timezone = 'UTC'; \
        SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = warning
        """
    }
}

extension Duration {
    /// Milliseconds as PostgreSQL's settings take them, at most what fits 32 bits.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
        guard !milliseconds.overflow else { return .max }
        return Int32(clamping: milliseconds.partialValue + attoseconds / 1_000_000_000_000_000)
    }
}
