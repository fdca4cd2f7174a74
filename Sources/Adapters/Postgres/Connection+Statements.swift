/// Single statements on an open connection.
extension Connection {
    /// Runs a statement, which is prepared by its text: the second time the server does not plan it again.
    func run(_ statement: Statement, _ interruption: Interruption?) throws(PostgresError) -> Rows {
        try Self.check(statement)
        do throws(PostgresError) {
            let wait = wait(interruption)
            let name = try prepared(statement, wait)
            count.add()
            return Rows(
                try exchange { (handle) throws(PostgresError) in
                    try handle.execute(prepared: name, statement.parameters, wait)
                })
        } catch {
            if error.isStalePlan { try removePlan(statement) }
            throw error.with(statement: statement.sql)
        }
    }

    /// Runs text as it is; only for COMMIT can the outcome be unknown.
    func run(
        script: String, _ interruption: Interruption?, isCommit: Bool = false
    ) throws(PostgresError) -> Rows {
        let wait = wait(interruption)
        count.add()
        do throws(PostgresError) {
            return Rows(
                try exchange(isCommit: isCommit) { (handle) throws(PostgresError) in
                    try handle.execute(script: script, wait)
                })
        } catch {
            throw error.with(statement: script)
        }
    }

    private func prepared(_ statement: Statement, _ wait: SocketWait) throws(PostgresError) -> String {
        if let name = statements.name(of: statement) { return name }
        let name = statements.freshName()
        try exchange { (handle) throws(PostgresError) in try handle.prepare(name, statement, wait) }
        if let evicted = statements.insert(statement, as: name) { try deallocate(evicted, wait) }
        return name
    }

    /// Removes a plan.
    ///
    /// In a failed transaction the server cannot, so the name is not used again.
    private func removePlan(_ statement: Statement) throws(PostgresError) {
        guard let name = statements.remove(statement), handle?.isIdle ?? false else { return }
        try deallocate(name, wait(nil))
    }

    private func deallocate(_ name: String, _ wait: SocketWait) throws(PostgresError) {
        _ = try exchange { (handle) throws(PostgresError) in
            try handle.execute(script: "DEALLOCATE \(name)", wait)
        }
    }

    /// Passes the handle to one exchange; a broken connection is closed at once.
    func exchange<Answer: ~Copyable>(
        isCommit: Bool = false,
        _ body: (borrowing ConnectionHandle) throws(PostgresError) -> Answer
    ) throws(PostgresError) -> Answer {
        guard let taken = handle.take() else {
            throw PostgresError(.connectionLost(mayHaveExecuted: false), "the connection broke before")
        }
        let isUndoneByLoss = !taken.isIdle && !isCommit
        do throws(PostgresError) {
            let answer = try body(taken)
            handle = consume taken
            return answer
        } catch {
            guard error.isConnectionLost else {
                handle = consume taken
                if error.isReadOnly { isReadOnly = true }
                throw error
            }
            close()
            throw isUndoneByLoss ? error.with(kind: .connectionLost(mayHaveExecuted: false)) : error
        }
    }

    private static func check(_ statement: Statement) throws(PostgresError) {
        let byteCount = statement.sql.utf8.count + statement.parameters.bytes.count
        guard byteCount <= Limits.statementByteCount, statement.parameters.count <= Limits.parameters else {
            let size = "\(byteCount) bytes, \(statement.parameters.count) values"
            throw PostgresError(.tooLarge, "a statement too large: \(size)").with(statement: statement.sql)
        }
    }
}
