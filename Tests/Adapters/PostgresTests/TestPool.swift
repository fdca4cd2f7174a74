import DatabaseSupport
import TestSupport
import Testing

@testable import Postgres

/// Gives a pool on a fresh database to a test and closes it afterwards.
func withPool<T>(
    size: Int = 4, on database: String? = nil, change: (inout PoolConfiguration) -> Void = { _ in },
    _ body: (PostgresPool) async throws -> T
) async throws -> T {
    var uri = database
    if uri == nil { uri = try await TestDatabase.shared.database() }
    var configuration = try PoolConfiguration.patient(uri ?? "", size: size)
    change(&configuration)
    return try await withPool(configuration, body)
}

/// The error that a request ends with.
func failure<T>(of request: () async throws -> T) async -> PostgresError? {
    do {
        _ = try await request()
        return nil
    } catch {
        return error as? PostgresError
    }
}

/// Whether the pool still does its work.
func expectAnswer(from pool: PostgresPool) async throws {
    let row = try await pool.query("SELECT 1 AS n").first
    #expect(try row?.decode("n", as: Int.self) == 1)
}
