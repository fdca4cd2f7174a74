import Concurrency
import Logging

/// One connection of a pool: it connects when first used and again after a loss, on a thread of its own.
///
/// Every method blocks that thread and has no suspension inside, so calls never interleave.
actor Connection {
    private let executor = BlockingExecutor(label: "postgres")
    nonisolated let pipe: WakePipe
    let configuration: PoolConfiguration
    let logger: Logger
    var handle: ConnectionHandle?
    var statements = StatementCache(capacity: Limits.preparedStatements)
    /// Counts transactions and sessions, so that one that is over cannot reach into the next.
    var lease = 0
    var isLeased = false
    /// How long a statement may take in the present lease; nil for as long as it wants.
    var statementTimeout: Duration?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ configuration: PoolConfiguration, logger: Logger) throws(PostgresError) {
        pipe = try WakePipe()
        self.configuration = configuration
        self.logger = logger
        statementTimeout = configuration.statementTimeout
    }

    /// Runs one statement by itself.
    ///
    /// A plan that a change of the schema outdated is made anew once.
    func query(_ statement: Statement, _ interruption: Interruption) throws(PostgresError) -> Rows {
        try open(interruption)
        defer { tidy() }
        do throws(PostgresError) {
            return try run(statement, interruption)
        } catch  where error.isStalePlan {
            return try run(statement, interruption)
        }
    }

    /// Closes the connection; the next use opens another.
    func close() {
        handle = nil
        statements = StatementCache(capacity: Limits.preparedStatements)
    }
}

extension Connection {
    /// Makes sure of a live connection before anything is sent over it.
    func open(_ interruption: Interruption) throws(PostgresError) {
        if interruption.isRequested { throw .cancelled }
        if isReady { return }
        close()
        let deadline = ContinuousClock.now + configuration.connectTimeout
        let patience = Patience(pipe: pipe, interruption: interruption, deadline: deadline)
        var opened = try ConnectionHandle.open(configuration, patience, logger: logger)
        _ = try opened.execute(script: configuration.sessionSettings, patience)
        handle = consume opened
    }

    private var isReady: Bool {
        guard handle != nil else { return false }
        return handle?.isQuiet ?? false
    }

    /// A connection in doubt is not kept: one in a transaction, or one that a cancel request may still hit.
    func tidy() {
        guard handle != nil else { return }
        if !(handle?.isIdle ?? false) || (handle?.hasStrayCancel ?? false) { close() }
    }

    func patience(_ interruption: Interruption?) -> Patience {
        let limit = statementTimeout.map { ContinuousClock.now + $0 + Limits.answerGrace }
        return Patience(pipe: pipe, interruption: interruption, deadline: limit)
    }
}
