import DatabaseSupport
import Postgres
import TestSupport
import Timeline

@testable import Catalogue

/// A catalogue on its own database with only the schema.
struct TestCatalogue: Sendable {
    let catalogue: Catalogue
    let pool: PostgresPool
    let uri: String

    /// Runs with another process's catalogue on the same database, which shares nothing with this one.
    func withOther<T>(_ body: (Catalogue) async throws -> T) async throws -> T {
        try await withPool(.patient(uri)) {
            try await body(Catalogue(pool: $0, logger: silentLogger))
        }
    }

    /// The first column of the first row as a number.
    func number(_ statement: Statement) async throws -> Int64? {
        try await pool.query(statement).first?.decode(0, as: Int64?.self)
    }
}

/// Runs a test with a catalogue and closes its connections afterwards.
func withCatalogue<T>(_ body: (TestCatalogue) async throws -> T) async throws -> T {
    try await withCatalogueDatabase { pool, uri in
        try await body(
            TestCatalogue(catalogue: Catalogue(pool: pool, logger: silentLogger), pool: pool, uri: uri))
    }
}

/// The error that a call throws.
func failure<T>(of call: () async throws -> T) async -> CatalogueError? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? CatalogueError
    }
}

extension TestCatalogue {
    /// All rows of a statement that returns integers.
    func rows(_ statement: Statement) async throws -> [[Int64?]] {
        let rows = try await pool.query(statement)
        return rows.map { row in
            var values: [Int64?] = []
            while let value = try? row.decode(values.count, as: Int64?.self) as Int64?? {
                values.append(value)
            }
            return values
        }
    }
}
