import Testing

@testable import Postgres

@Suite("Prepared statements")
struct StatementCacheTests {
    @Test("The least recently used statement is removed")
    func eviction() {
        var cache = StatementCache(capacity: 2)
        for statement: Statement in ["a", "b"] {
            #expect(cache.name(of: statement) == nil)
            #expect(cache.insert(statement, as: statement.sql) == nil)
        }
        #expect(cache.name(of: "a") == "a")
        #expect(cache.name(of: "c") == nil)
        #expect(cache.insert("c", as: "c") == "b")
        #expect(cache.name(of: "b") == nil)
        #expect(cache.count == 2)
    }

    @Test("The same text with values of other types is another statement")
    func types() {
        var cache = StatementCache(capacity: 2)
        let (wide, narrow): (Statement, Statement) = ("SELECT \(1 as Int64)", "SELECT \(1 as Int32)")
        _ = cache.insert(wide, as: "wide")
        #expect(cache.name(of: narrow) == nil)
        #expect(cache.name(of: "SELECT \(2 as Int64)") == "wide")
    }

    @Test("The number of prepared statements on the server is bounded")
    func bound() async throws {
        try await withPool(size: 1) { pool in
            for number in 0..<Limits.preparedStatements + 20 {
                _ = try await pool.query("SELECT \(verbatim: "\(number)")")
            }
            let row = try await pool.query("SELECT count(*) AS n FROM pg_prepared_statements").first
            #expect(try row?.decode("n", as: Int.self) == Limits.preparedStatements)
        }
    }

    @Test("A statement survives a change of its table, and the loss of its plan")
    func stalePlans() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("CREATE TABLE t AS SELECT 1 AS a")
            #expect(try await pool.query("SELECT * FROM t").first?.decode("a", as: Int.self) == 1)
            _ = try await pool.query("ALTER TABLE t ADD b int DEFAULT 2")
            #expect(try await pool.query("SELECT * FROM t").first?.decode("b", as: Int.self) == 2)
            _ = try await pool.query("DEALLOCATE ALL")
            #expect(try await pool.query("SELECT * FROM t").first?.decode("b", as: Int.self) == 2)
        }
    }
}
