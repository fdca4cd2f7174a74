import Logging

/// Transactions and sessions: several statements of one caller on the same connection.
extension Connection {
    /// Opens a transaction.
    func begin(_ interruption: Interruption) throws(PostgresError) -> Int {
        try open(interruption)
        _ = try run(script: "BEGIN", interruption)
        return startLease()
    }

    /// Opens a session with this statement timeout.
    ///
    /// If setting it fails, the connection is closed: the server may have applied it or not.
    func startSession(
        statementTimeout: Duration?, _ interruption: Interruption
    ) throws(PostgresError) -> Int {
        try open(interruption)
        let limit = statementTimeout?.wholeMilliseconds ?? 0
        do throws(PostgresError) {
            _ = try run(script: "SET statement_timeout = \(limit)", interruption)
        } catch {
            close()
            throw error
        }
        self.statementTimeout = statementTimeout
        return startLease()
    }

    /// Runs a statement of a transaction or session.
    func execute(
        _ statement: Statement, lease: Int, _ interruption: Interruption
    ) throws(PostgresError) -> Rows {
        try check(lease)
        return try run(statement, interruption)
    }

    /// Runs text of several statements without values.
    func execute(
        script: String, lease: Int, _ interruption: Interruption
    ) throws(PostgresError) -> Rows {
        try check(lease)
        return try run(script: script, interruption)
    }

    /// Commits a transaction; cannot be cancelled.
    func commit(lease: Int) throws(PostgresError) {
        try check(lease)
        defer { endLease() }
        let answer = try run(script: "COMMIT", nil, isCommit: true)
        guard answer.commandTag == "COMMIT" else {
            throw PostgresError(.refused, "rolled back: a statement of the transaction had failed")
        }
    }

    /// Rolls a transaction back; a connection on which that fails is closed.
    func rollback(lease: Int) {
        guard isLeased, lease == self.lease else { return }
        defer { endLease() }
        guard handle != nil else { return }
        do {
            statementTimeout = Limits.cleanupTimeout
            _ = try run(script: "ROLLBACK", nil)
        } catch {
            logger.debug("Closing a connection that did not roll back", metadata: ["error": "\(error)"])
            close()
        }
    }

    /// Ends a session and closes its connection, which releases its locks and settings.
    func endSession(lease: Int) {
        guard isLeased, lease == self.lease else { return }
        close()
        endLease()
    }

    private func startLease() -> Int {
        lease += 1
        isLeased = true
        return lease
    }

    private func endLease() {
        isLeased = false
        statementTimeout = configuration.statementTimeout
        closeIfUnusable()
    }

    private func check(_ lease: Int) throws(PostgresError) {
        guard isLeased, lease == self.lease else {
            throw PostgresError(.closed, "the transaction or session is over")
        }
        if handle == nil {
            throw PostgresError(.connectionLost(mayHaveExecuted: false), "the connection broke before")
        }
    }
}
