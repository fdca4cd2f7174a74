/// A running transaction; unusable after its body has returned.
package final class PostgresTransaction: Sendable {
    private let connection: Connection
    private let lease: Int

    init(_ connection: Connection, lease: Int) {
        self.connection = connection
        self.lease = lease
    }

    /// Runs one statement of the transaction; concurrent ones run one after the other.
    package func query(_ statement: Statement) async throws(PostgresError) -> Rows {
        let (connection, lease) = (connection, lease)
        return try await connection.interruptible { (interruption) async throws(PostgresError) in
            try await connection.execute(statement, lease: lease, interruption)
        }
    }
}

extension PostgresPool {
    /// Runs a body between BEGIN and COMMIT, or ROLLBACK when it throws.
    ///
    /// A connection lost at COMMIT leaves the outcome unknown: `PostgresError.mayHaveExecuted`. A body that
    /// ignores a failed statement's error gets an error at the end, because nothing was committed.
    package func transaction<T: Sendable>(
        _ body: @Sendable (PostgresTransaction) async throws -> T
    ) async throws -> T {
        let connection = try await acquire()
        defer { release(connection) }
        let lease = try await connection.interruptible { (interruption) async throws(PostgresError) in
            try await connection.begin(interruption)
        }
        let answer: T
        do {
            answer = try await body(PostgresTransaction(connection, lease: lease))
        } catch {
            await connection.rollback(lease: lease)
            throw error
        }
        try await connection.commit(lease: lease)
        return answer
    }
}
