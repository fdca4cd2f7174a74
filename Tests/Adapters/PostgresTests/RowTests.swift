import Testing

@testable import Postgres

@Suite("Reading a row")
struct RowTests {
    @Test("An integer column is read at any width that its value fits")
    func widths() async throws {
        try await withPool { pool in
            let row = try #require(
                try await pool.query("SELECT 7::int2 AS a, 8::int4 AS b, 9::int8 AS c, 4000000000::oid AS d")
                    .first)
            #expect(try row.decode("a", as: Int64.self) == 7)
            #expect(try row.decode("b", as: Int.self) == 8)
            #expect(try row.decode("c", as: Int16.self) == 9)
            #expect(try row.decode("d", as: Int64.self) == 4_000_000_000)
            #expect(try row.decode(2, as: Int64.self) == 9)
        }
    }

    @Test(
        "A value that does not fit, is NULL, has another type or is missing is an error that names the column"
    )
    func refusals() async throws {
        try await withPool { pool in
            let row = try #require(
                try await pool.query("SELECT 70000 AS big, NULL::int4 AS none, 'x' AS word, 1.5 AS part")
                    .first)
            let failures = [
                await failure { try row.decode("big", as: Int16.self) },
                await failure { try row.decode("none", as: Int32.self) },
                await failure { try row.decode("word", as: Int64.self) },
                await failure { try row.decode("part", as: Double.self) },
                await failure { try row.decode("absent", as: Int64.self) },
                await failure { try row.decode(9, as: Int64?.self) },
                await failure { try row.decode(-1, as: String.self) },
            ]
            #expect(failures.allSatisfy { $0?.kind == .undecodable && $0?.isTransient == false })
            let words = ["big", "NULL", "word", "part", "absent", "9", "-1"]
            for (failure, word) in zip(failures, words) { #expect(failure?.message.contains(word) == true) }
        }
    }

    @Test("Enumerations and names are text")
    func textual() async throws {
        try await withPool { pool in
            _ = try await pool.query("CREATE TYPE mood AS ENUM ('calm', 'wild')")
            let row = try await pool.query("SELECT 'wild'::mood AS m, 'pg'::name AS n, 'v'::varchar AS v")
                .first
            #expect(try row?.decode("m", as: String.self) == "wild")
            #expect(try row?.decode("n", as: String.self) == "pg")
            #expect(try row?.decode("v", as: String.self) == "v")
        }
    }

    @Test("The number of affected rows comes from the command tag")
    func affectedRows() async throws {
        try await withPool { pool in
            let created = try await pool.query("CREATE TABLE t AS SELECT generate_series(1, 5) AS n")
            #expect(created.isEmpty)
            let updated = try await pool.query("UPDATE t SET n = n + 1 WHERE n > 2 RETURNING n")
            #expect(updated.affectedRows == 3)
            #expect(updated.count == 3)
            #expect(try await pool.query("DELETE FROM t WHERE n > 100").affectedRows == 0)
            #expect(try await pool.query("SELECT 1 WHERE false").isEmpty)
        }
    }
}
