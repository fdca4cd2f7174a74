import Testing

@testable import Postgres

@Suite("Errors")
struct PostgresErrorTests {
    @Test("The server's error has state, constraint, detail and the text without values")
    func fields() async throws {
        try await withPool { pool in
            _ = try await pool.query("CREATE TABLE t (k text CONSTRAINT one_of_a_kind PRIMARY KEY)")
            _ = try await pool.query("INSERT INTO t VALUES (\("hush"))")
            let error = try #require(
                await failure { try await pool.query("INSERT INTO t VALUES (\("hush"))") })
            #expect(error.sqlState == "23505")
            #expect(error.kind == .refused)
            #expect(error.constraint == "one_of_a_kind")
            #expect(error.detail?.contains("hush") == true)
            #expect(error.statement == "INSERT INTO t VALUES ($1)")
            #expect(!error.isTransient)
            #expect(!"\(error)".contains("hush"))
        }
    }

    @Test(
        "Each state is known by its name",
        arguments: [
            ("SELECT * FROM absent", "42P01"), ("SELEC 1", "42601"), ("SELECT 1 / 0", "22012"),
            ("SELECT 1; SELECT 2", "42601"),
        ])
    func states(sql: String, state: String) async throws {
        try await withPool { pool in
            let error = await failure { try await pool.query(Statement(verbatim: sql)) }
            #expect(error?.sqlState == state)
            try await expectAnswer(from: pool)
        }
    }

    @Test(
        "Lost races, missing resources and a server going down are transient; mistakes are not",
        arguments: [
            ("40001", true), ("40P01", true), ("53300", true), ("57P01", true), ("57P03", true),
            ("55P03", true), ("25006", true),
            ("08006", true), ("57014", false), ("23505", false), ("42601", false),
        ])
    func transience(state: String, expected: Bool) {
        var error = PostgresError(.refused, "")
        error.sqlState = state
        #expect(error.isTransient == expected)
    }

    @Test("A lock that is not available is transient")
    func lockNotAvailable() async throws {
        try await withPool { pool in
            _ = try await pool.query("CREATE TABLE t AS SELECT 1 AS n")
            try await pool.transaction { transaction in
                _ = try await transaction.query("SELECT n FROM t FOR UPDATE")
                let error = await failure { try await pool.query("SELECT n FROM t FOR UPDATE NOWAIT") }
                #expect(error?.sqlState == "55P03")
                #expect(error?.isTransient == true)
            }
        }
    }

    @Test("A statement over its time is ended by the server, and the connection goes on")
    func statementTimeout() async throws {
        try await withPool(size: 1, change: { $0.statementTimeout = .milliseconds(500) }) { pool in
            let error = await failure { try await pool.query("SELECT pg_sleep(30)") }
            #expect(error?.kind == .refused)
            #expect(error?.sqlState == "57014")
            try await expectAnswer(from: pool)
        }
    }

    @Test("COPY is refused, and the pool keeps working")
    func copying() async throws {
        try await withPool(size: 1) { pool in
            #expect(await failure { try await pool.query("COPY (SELECT 1) TO STDOUT") } != nil)
            try await expectAnswer(from: pool)
        }
    }
}
