/// One connection for one caller: advisory locks and settings last as long as the session.
package final class PostgresSession: Sendable {
    private let connection: Connection
    private let lease: Int

    init(_ connection: Connection, lease: Int) {
        self.connection = connection
        self.lease = lease
    }

    /// Runs one statement.
    package func query(_ statement: Statement) async throws(PostgresError) -> Rows {
        let (connection, lease) = (connection, lease)
        return try await connection.interruptible { (interruption) async throws(PostgresError) in
            try await connection.execute(statement, lease: lease, interruption)
        }
    }

    /// Runs text of one or more statements without values.
    package func execute(script: String) async throws(PostgresError) {
        let (connection, lease) = (connection, lease)
        _ = try await connection.interruptible { (interruption) async throws(PostgresError) in
            try await connection.execute(script: script, lease: lease, interruption)
        }
    }
}

extension PostgresPool {
    /// Runs a body on one connection, which is closed afterwards.
    ///
    /// Without a `statementTimeout` a statement may run without limit.
    package func withConnection<T: Sendable>(
        statementTimeout: Duration?, _ body: @Sendable (PostgresSession) async throws -> T
    ) async throws -> T {
        let connection = try await acquire()
        defer { release(connection) }
        let lease = try await connection.interruptible { (interruption) async throws(PostgresError) in
            try await connection.startSession(statementTimeout: statementTimeout, interruption)
        }
        do {
            let answer = try await body(PostgresSession(connection, lease: lease))
            await connection.endSession(lease: lease)
            return answer
        } catch {
            await connection.endSession(lease: lease)
            throw error
        }
    }

    /// Runs a body on one connection with the pool's statement timeout.
    package func withConnection<T: Sendable>(
        _ body: @Sendable (PostgresSession) async throws -> T
    ) async throws -> T {
        try await withConnection(statementTimeout: configuration.statementTimeout, body)
    }
}
