import Testing

@testable import Postgres

@Suite("Transactions")
struct PostgresTransactionTests {
    private struct Thrown: Error {}

    private func withTable(_ body: (PostgresPool) async throws -> Void) async throws {
        try await withPool { pool in
            _ = try await pool.query("CREATE TABLE t (n int PRIMARY KEY)")
            try await body(pool)
        }
    }

    private func expect(_ count: Int, in pool: PostgresPool) async throws {
        let row = try await pool.query("SELECT count(*) AS n FROM t").first
        #expect(try row?.decode("n", as: Int.self) == count)
    }

    @Test("A transaction commits when its body returns")
    func commit() async throws {
        try await withTable { pool in
            let answer = try await pool.transaction { transaction in
                try await transaction.query("INSERT INTO t VALUES (1), (2)").affectedRows
            }
            #expect(answer == 2)
            try await expect(2, in: pool)
        }
    }

    @Test("A transaction rolls back when its body throws, and passes the error on")
    func rollback() async throws {
        try await withTable { pool in
            await #expect(throws: Thrown.self) {
                try await pool.transaction { transaction in
                    _ = try await transaction.query("INSERT INTO t VALUES (1)")
                    throw Thrown()
                }
            }
            try await expect(0, in: pool)
        }
    }

    @Test("A transaction that ignores a failed statement's error fails at its end")
    func swallowedFailure() async throws {
        try await withTable { pool in
            let error = await failure {
                try await pool.transaction { transaction in
                    _ = try await transaction.query("INSERT INTO t VALUES (1)")
                    _ = try? await transaction.query("SELECT 1 / 0")
                }
            }
            #expect(error?.kind == .refused)
            try await expect(0, in: pool)
        }
    }

    @Test("A constraint checked at COMMIT fails the transaction")
    func deferredConstraint() async throws {
        try await withTable { pool in
            _ = try await pool.query(
                "CREATE TABLE u (n int REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
            let error = await failure {
                try await pool.transaction { _ = try await $0.query("INSERT INTO u VALUES (7)") }
            }
            #expect(error?.sqlState == "23503")
            try await expectAnswer(from: pool)
        }
    }

    @Test("A finished transaction cannot execute statements")
    func afterTheEnd() async throws {
        try await withTable { pool in
            let kept = try await pool.transaction { $0 }
            let error = await failure { try await kept.query("INSERT INTO t VALUES (1)") }
            #expect(error?.kind == .closed)
            try await expect(0, in: pool)
        }
    }

    @Test("Concurrent statements run one after the other")
    func concurrentStatements() async throws {
        try await withTable { pool in
            try await pool.transaction { transaction in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 {
                        group.addTask { _ = try await transaction.query("INSERT INTO t VALUES (\(number))") }
                    }
                    try await group.waitForAll()
                }
            }
            try await expect(20, in: pool)
        }
    }

    @Test("A transaction that a plain statement opens does not stay open")
    func strayBegin() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("BEGIN")
            let row = try await pool.query("SELECT pg_current_xact_id_if_assigned() IS NULL AS none").first
            #expect(try row?.decode("none", as: Bool.self) == true)
            try await pool.transaction { _ = try await $0.query("SELECT 1") }
        }
    }
}
