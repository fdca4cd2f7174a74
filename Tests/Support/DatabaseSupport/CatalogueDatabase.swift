import Foundation
package import Postgres
import TestSupport

extension PoolConfiguration {
    /// A pool that waits far longer than a loaded machine needs; a test of a limit sets its own.
    package static func patient(_ uri: String, size: Int = 4) throws -> PoolConfiguration {
        PoolConfiguration(
            try ConnectionString(uri), size: size, connectTimeout: .seconds(60),
            acquireTimeout: .seconds(60))
    }
}

/// Runs a body with a pool and closes it afterwards.
package func withPool<T>(
    _ configuration: PoolConfiguration, _ body: (PostgresPool) async throws -> T
) async throws -> T {
    let pool = PostgresPool(configuration, logger: silentLogger)
    do {
        let result = try await body(pool)
        await pool.close()
        return result
    } catch {
        await pool.close()
        throw error
    }
}

/// Runs a body with a pool on a fresh database that has the schema and nothing else, and its connection
/// string.
package func withCatalogueDatabase<T>(
    size: Int = 4, _ body: (PostgresPool, _ uri: String) async throws -> T
) async throws -> T {
    let uri = try await TestDatabase.shared.database("catalogue", template: "catalogue") { uri in
        try await migrateCatalogue(uri)
    }
    var configuration = try PoolConfiguration.patient(uri, size: size)
    configuration.statementTimeout = .seconds(120)
    return try await withPool(configuration) { try await body($0, uri) }
}

/// Brings a database to the program's schema.
package func migrateCatalogue(_ uri: String) async throws {
    try await withPool(.patient(uri, size: 1)) { pool in
        _ = try await Migrations.reading(folder: migrationsFolder).apply(on: pool)
    }
}

private let migrationsFolder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../migrations").standardized.path
