package import Concurrency

/// The parameters of a pool: how it connects, and its timeouts.
package struct PoolConfiguration: Sendable {
    package var connection: ConnectionString
    /// The largest number of open connections.
    package var size: Int
    /// The time after which the server ends a statement.
    package var statementTimeout: Duration
    /// The longest wait for a lock, unless the statement's own time is over; nil: no other limit.
    package var lockTimeout: Duration?
    /// The longest time to connect to one address of a server; at most `Limits.addresses` are tried.
    package var connectTimeout: Duration
    /// The longest wait for a free connection.
    package var acquireTimeout: Duration
    /// The name of the connections in `pg_stat_activity`, unless the connection string has one.
    package var applicationName: String
    /// Whether a server that only reads is better than none, where the connection string names several.
    package var readsFromStandby: Bool
    /// How often a pool that reads from a standby looks for the primary.
    package var standbyInterval = Duration.seconds(10)
    /// Bounds the cancel requests that run at a time.
    var cancelSlots = CancelSlots.ofProcess
    /// Looks up the addresses of the servers.
    var lookups = AddressLookups.ofProcess
    /// Measures the pauses between tries to listen and to take the lock of migrations.
    package var clock: HostClock

    package init(
        _ connection: ConnectionString, size: Int = 4, statementTimeout: Duration = .seconds(30),
        lockTimeout: Duration? = nil, connectTimeout: Duration = .seconds(5),
        acquireTimeout: Duration = .seconds(10),
        applicationName: String = "backcast", readsFromStandby: Bool = false,
        clock: HostClock = .system,
    ) {
        self.connection = connection
        self.size = min(max(1, size), Limits.poolSize)
        self.statementTimeout = statementTimeout
        self.lockTimeout = lockTimeout
        self.connectTimeout = connectTimeout
        self.acquireTimeout = acquireTimeout
        self.applicationName = applicationName
        self.readsFromStandby = readsFromStandby
        self.clock = clock
    }
}

extension PoolConfiguration {
    /// The options for libpq in order; a later entry overrides an earlier one, so the connection string may
    /// override these defaults.
    ///
    /// A lost peer is detected within a minute (keepalives for reading, user timeout for writing).
    ///
    /// Of several servers the first that can write is taken: after a fail-over the first may be a standby.
    var libpqParameters: [(keyword: String, value: String)] {
        var parameters: [(keyword: String, value: String)] = []
        if connection.omitsTargetSession { parameters.append(("target_session_attrs", "read-write")) }
        return parameters + [
            ("application_name", applicationName),
            ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
            ("dbname", connection.secret),
            ("client_encoding", "UTF8"),
        ]
    }

    /// The values of `target_session_attrs` to try in order, each at all servers.
    ///
    /// Nil keeps the value in `libpqParameters`. libpq is given one server at a time, so it cannot try a
    /// second choice by itself.
    var wantedSessions: [String?] {
        if connection.prefersStandby { return ["standby", "any"] }
        return returnsToPrimary ? [nil, "any"] : [nil]
    }

    /// Whether a standby is read from only while no server can write.
    var returnsToPrimary: Bool { readsFromStandby && connection.omitsTargetSession }

    /// The first statements of each session.
    ///
    /// A transaction that a lost program left open must not keep its locks. What is committed is durable,
    /// whatever the server's default is: the journal marks it as done.
    var sessionSettings: String {
        """
        SET statement_timeout = \(statementTimeout.wholeMilliseconds); SET jit = off; SET timezone = 'UTC'; \
        SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = warning; \
        SET synchronous_commit = on; SET lock_timeout = \(lockTimeout?.wholeMilliseconds ?? 0)
        """
    }
}

extension Duration {
    /// Milliseconds for PostgreSQL's settings, at most 32 bits.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
        guard !milliseconds.overflow else { return .max }
        return Int32(clamping: milliseconds.partialValue + attoseconds / 1_000_000_000_000_000)
    }
}
