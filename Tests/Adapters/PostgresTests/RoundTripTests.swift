import Testing

@testable import Postgres

@Suite("Bound values are read back")
struct RoundTripTests {
    private func echo<T: PostgresEncodable & PostgresDecodable & Equatable>(_ values: [T]) async throws {
        try await withPool { pool in
            for value in values {
                let row = try #require(try await pool.query("SELECT \(value) AS v").first)
                #expect(try row.decode("v", as: T.self) == value)
            }
        }
    }

    @Test("Integers of every width, at their limits")
    func integers() async throws {
        try await echo([Int16.min, -1, 0, .max])
        try await echo([Int32.min, -1, 0, .max])
        try await echo([Int64.min, -1, 0, .max])
        try await echo([Int.min, -1, 0, .max])
    }

    @Test("Floating point, its special values too")
    func doubles() async throws {
        try await echo([0, -0.5, 1e300, .infinity, .leastNonzeroMagnitude])
    }

    @Test("Booleans, text and bytes, empty and long")
    func others() async throws {
        try await echo([true, false])
        try await echo(["", "a", "Größe 🎬", String(repeating: "x", count: 100_000)])
        try await echo([[UInt8](), [0], [0, 255, 0], [UInt8](repeating: 7, count: 100_000)])
    }

    @Test("NULL of every type")
    func nulls() async throws {
        try await echo([Int16?.none, 3])
        try await echo([Int32?.none, 3])
        try await echo([Int64?.none, 3])
        try await echo([Bool?.none, true])
        try await echo([Double?.none, 3])
        try await echo([String?.none, "", "NULL"])
        try await echo([[UInt8]?.none, [], [1]])
        try await echo([[Int64]?.none, [], [1]])
    }

    @Test("Arrays of every type")
    func arrays() async throws {
        try await echo([[Int16](), [1, .min, .max]])
        try await echo([[Int32](), [1, .min, .max]])
        try await echo([[Int64](), [1, .min, .max]])
        try await echo([[Int](), [1, .min, .max]])
        try await echo([[Bool](), [true, false]])
        try await echo([[Double](), [1.5, -2]])
        try await echo([[String](), ["", "a,b", "\"{}\\", "NULL"]])
        try await echo([[[UInt8]](), [[], [0, 1], [255]]])
    }

    @Test("Arrays with NULL among their elements")
    func arraysWithNulls() async throws {
        try await echo([[Int64?](), [nil], [1, nil, 3]])
        try await echo([[Int32?](), [1, nil, 3]])
        try await echo([[String?](), ["a", nil, ""]])
        try await echo([[[UInt8]?](), [[1], nil, []]])
        try await echo([[Bool?](), [true, nil]])
    }

    @Test("Parallel arrays become rows")
    func unnest() async throws {
        try await withPool { pool in
            let rows = try await pool.query(
                "SELECT * FROM unnest(\([1, 2] as [Int64]), \(["a", nil] as [String?])) AS t (n, s)")
            #expect(try rows.map { try $0.decode("n", as: Int.self) } == [1, 2])
            #expect(try rows.map { try $0.decode("s", as: String?.self) } == ["a", nil])
        }
    }

    @Test("Identifiers and JSON are bound as text with a cast and read as text")
    func casts() async throws {
        try await withPool { pool in
            let id = "0190163d-8694-739b-aea5-966c26f8ad91"
            let row = try await pool.query("SELECT \(id)::uuid AS id, \(#"{"a": 1}"#)::jsonb AS j").first
            #expect(try row?.decode("id", as: String.self) == id)
            #expect(try row?.decode("j", as: String.self) == #"{"a": 1}"#)
        }
    }
}
