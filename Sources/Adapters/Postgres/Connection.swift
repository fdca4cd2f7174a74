import Concurrency
import Logging

/// One connection of a pool, on a thread of its own; it connects on first use and after a loss.
///
/// Every method blocks that thread and never suspends, so calls do not interleave.
actor Connection {
    private let executor = BlockingExecutor(label: "postgres")
    nonisolated let pipe: WakePipe
    let configuration: PoolConfiguration
    let logger: Logger
    /// Counts statements for all connections of the pool.
    let count: StatementCount
    /// Shared by all connections of the pool.
    private let primary: PrimaryWatch
    var handle: ConnectionHandle?
    var statements = StatementCache(capacity: Limits.preparedStatements)
    /// Counts transactions and sessions, so that a finished one cannot use the connection of the next.
    var lease = 0
    var isLeased = false
    /// Whether the server has refused to write: the next connection may find the primary.
    var isReadOnly = false
    /// Set while connected to a standby in place of the primary: `primary.found` at that time.
    private var foundBefore: Int?
    /// The statement timeout of the current lease; nil for none.
    var statementTimeout: Duration?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        _ configuration: PoolConfiguration, count: StatementCount = StatementCount(),
        primary: PrimaryWatch = PrimaryWatch(), logger: Logger,
    ) throws(PostgresError) {
        pipe = try WakePipe()
        (self.count, self.primary) = (count, primary)
        self.configuration = configuration
        self.logger = logger
        statementTimeout = configuration.statementTimeout
    }

    /// Runs one statement outside a transaction.
    ///
    /// A plan that a change of the schema invalidated is prepared again, once.
    func query(_ statement: Statement, _ interruption: Interruption) throws(PostgresError) -> Rows {
        try open(interruption)
        defer { closeIfUnusable() }
        do throws(PostgresError) {
            return try run(statement, interruption)
        } catch  where error.isStalePlan {
            return try run(statement, interruption)
        }
    }

    /// Closes the connection; the next use opens a new one.
    func close() {
        handle = nil
        isReadOnly = false
        foundBefore = nil
        statements = StatementCache(capacity: Limits.preparedStatements)
    }
}

extension Connection {
    /// Opens the connection if it is not open, before anything is sent.
    func open(_ interruption: Interruption) throws(PostgresError) {
        if interruption.isRequested { throw .cancelled }
        if isReady { return returnToPrimary(interruption) }
        close()
        try connect(interruption, configuration.wantedSessions, limit: configuration.connectTimeout)
    }

    /// Replaces a connection to a standby by one to the primary, if that answers soon; otherwise it stays.
    private func returnToPrimary(_ interruption: Interruption) {
        guard let foundBefore,
            primary.isDue(since: foundBefore, every: configuration.standbyInterval, now: .now)
        else { return }
        self.foundBefore = primary.found
        do {
            try connect(interruption, [nil], limit: min(Limits.primaryTimeout, configuration.connectTimeout))
            logger.notice("The primary answers again; reading from the standby ends")
        } catch {
            logger.debug("Reading from the standby continues", metadata: ["error": "\(error)"])
        }
    }

    /// Opens a connection and lets it take the place of the one that is there; `limit` is for each address.
    private func connect(
        _ interruption: Interruption, _ sessions: [String?], limit: Duration,
    ) throws(PostgresError) {
        let newWait = { [pipe] (limit: Duration) in
            SocketWait(pipe: pipe, interruption: interruption, deadline: SteadyInstant.now + limit)
        }
        let found = primary.found
        let opened = try ConnectionHandle.open(
            configuration, sessions, limit: limit, wait: newWait, logger: logger)
        _ = try opened.execute(script: configuration.sessionSettings, newWait(limit))
        close()
        if configuration.returnsToPrimary, opened.isSecondChoice {
            foundBefore = found
        } else {
            primary.noteFound()
        }
        handle = consume opened
    }

    private var isReady: Bool {
        guard handle != nil else { return false }
        return handle?.isQuiet ?? false
    }

    /// Closes a connection to a server that only reads, or in an unclear state: inside a transaction, or with
    /// a cancel request that could still end the next statement.
    func closeIfUnusable() {
        guard handle != nil else { return }
        if isReadOnly || !(handle?.isIdle ?? false) || (handle?.cancelRequests.mayEndNext() ?? false) {
            close()
        }
    }

    func wait(_ interruption: Interruption?) -> SocketWait {
        let limit = statementTimeout.map { SteadyInstant.now + $0 + Limits.answerGrace }
        return SocketWait(pipe: pipe, interruption: interruption, deadline: limit)
    }
}
