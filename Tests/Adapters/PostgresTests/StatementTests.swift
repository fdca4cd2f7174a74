import Testing

@testable import Postgres

@Suite("Statements")
struct StatementTests {
    @Test("Each value becomes a parameter in order")
    func parameters() {
        let statement: Statement = "SELECT * FROM t WHERE a = \(1) AND b = \("x") LIMIT \(5 as Int32)"
        #expect(statement.sql == "SELECT * FROM t WHERE a = $1 AND b = $2 LIMIT $3")
        #expect(statement.parameters.types == [.int8, .text, .int4])
    }

    @Test("SQL text needs its label, names are quoted")
    func verbatim() {
        let statement: Statement = "SELECT \(verbatim: "now()") FROM \(identifier: "a\"b")"
        #expect(statement.sql == "SELECT now() FROM \"a\"\"b\"")
        #expect(statement.parameters.count == 0)
    }

    @Test("A number goes in as it is where nothing can be bound")
    func number() {
        let statement: Statement = "VALUES FROM (\(number: -7))"
        #expect(statement.sql == "VALUES FROM (-7)")
        #expect(statement.parameters.count == 0)
    }

    @Test(
        "Text that looks like SQL is bound as a value",
        arguments: ["'; DROP TABLE t; --", "$1", "\\'", "a' OR 'a'='a", "\u{1F4A3}\"", "%s"])
    func injection(attempt: String) async throws {
        try await withPool { pool in
            _ = try await pool.query("CREATE TABLE t (v text)")
            _ = try await pool.query("INSERT INTO t VALUES (\(attempt))")
            let rows = try await pool.query("SELECT v FROM t WHERE v = \(attempt)")
            #expect(try rows.map { try $0.decode("v", as: String.self) } == [attempt])
        }
    }

    @Test("A zero character is refused by the server, not cut off")
    func zeroCharacter() async throws {
        try await withPool { pool in
            let error = await failure { try await pool.query("SELECT \("a\0b")") }
            #expect(error?.sqlState == "22021")
        }
    }

    @Test("A statement beyond the bounds is refused before it is sent")
    func tooLarge() async throws {
        try await withPool { pool in
            let bytes = [UInt8](repeating: 0, count: Limits.statementByteCount)
            #expect(await failure { try await pool.query("SELECT \(bytes)") }?.kind == .tooLarge)
            try await expectAnswer(from: pool)
        }
    }
}
