import Testing

@testable import Postgres

@Suite("Scanning columns in place")
struct IntegerColumnTests {
    @Test("A day of segments is read without decoding row by row")
    func day() async throws {
        try await withPool { pool in
            let rows = try await pool.query(
                """
                SELECT n::int8 * 4000000 AS start_us, n AS number, (n % 7)::int2 AS flags,
                       CASE WHEN n % 2 = 0 THEN int8send(n) END AS iv
                FROM generate_series(0, 21599) AS n
                """)
            let (starts, numbers) = (try rows.integers("start_us"), try rows.integers("number"))
            let (flags, ivs) = (try rows.integers("flags"), try rows.bytes("iv"))
            #expect(rows.count == 21_600)
            for row in 0..<rows.count {
                guard starts[row] == Int64(row) * 4_000_000, numbers[row] == Int64(row),
                    flags[row, default: -1] == Int64(row % 7), (ivs[row] == nil) == (row % 2 == 1)
                else {
                    Issue.record("row \(row) is not what was asked for")
                    return
                }
            }
            #expect(ivs[258] == [0, 0, 0, 0, 0, 0, 1, 2])
            #expect(ivs.withValue(row: 258) { $0?.count } == 8)
        }
    }

    @Test("NULL is nil or the default, and negative numbers keep their sign")
    func nulls() async throws {
        try await withPool { pool in
            let rows = try await pool.query(
                "SELECT * FROM unnest(\([nil, -2, Int32.min] as [Int32?])) AS t (n)")
            let column = try rows.integers("n")
            #expect((0..<3).map { column[$0] } == [nil, -2, Int64(Int32.min)])
            #expect(column[0, default: 5] == 5)
        }
    }

    @Test("A column of another type is refused")
    func refusal() async throws {
        try await withPool { pool in
            let rows = try await pool.query("SELECT 'a' AS word")
            #expect(await failure { try rows.integers("word") }?.kind == .undecodable)
            #expect(await failure { try rows.bytes("word") }?.kind == .undecodable)
            #expect(await failure { try rows.integers("absent") }?.kind == .undecodable)
        }
    }
}
