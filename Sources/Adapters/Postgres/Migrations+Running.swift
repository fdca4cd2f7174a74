import Concurrency
import Logging

extension Migrations {
    /// Applies the missing migrations, each file in its own transaction, and returns their names.
    ///
    /// Of several concurrent runners one works; the others wait and then find nothing to do.
    ///
    /// A file that waits for a lock is given up after `Limits.migrationLockTimeout`, because all that comes
    /// later waits behind it, readers too. It is tried again after a pause, `Limits.migrationTries` times.
    package func apply(on pool: PostgresPool) async throws -> [String] {
        try await pool.withConnection(statementTimeout: nil) { session in
            try await takeLock(session, clock: pool.configuration.clock)
            _ = try await session.query(Self.tableDefinition)
            let comparison = try Self.comparison(from: try await session.query(comparing))
            if let conflict = comparison.conflict { throw conflict }
            let pending = Set(comparison.pending)
            let migrations = all.filter { pending.contains($0.number) }
            for migration in migrations {
                try await applyWhenUnlocked(migration, session, pool)
            }
            return migrations.map(\.name)
        }
    }

    /// Throws when the database's schema is not exactly that of these files; the error names the first
    /// difference.
    package func check(on pool: PostgresPool) async throws(PostgresError) {
        do throws(PostgresError) {
            let comparison = try Self.comparison(from: try await pool.query(comparing))
            if let difference = comparison.difference { throw difference }
        } catch  where error.isUndefinedTable {
            guard let first = all.first else { return }
            throw PostgresError(.schema, "the database does not have migration \(first.name)")
        }
    }

    /// Applies a file as soon as no other session holds what it has to lock.
    private func applyWhenUnlocked(
        _ migration: Migration, _ session: PostgresSession, _ pool: PostgresPool
    ) async throws {
        for attempt in 1... {
            do throws(PostgresError) {
                return try await apply(migration, session)
            } catch {
                guard error.isLockNotAvailable, attempt < Limits.migrationTries else { throw error }
                if attempt % Limits.migrationReport == 1 {
                    pool.logger.warning(
                        "A migration waits for a table that another session uses",
                        metadata: ["migration": "\(migration.name)", "attempt": "\(attempt)"])
                }
            }
            try await session.execute(script: "ROLLBACK")
            try await pool.configuration.clock.sleep(for: Limits.migrationPause)
        }
    }

    private func apply(
        _ migration: Migration, _ session: PostgresSession
    ) async throws(PostgresError) {
        // A file without a transaction blocks no reader, and a lock timeout would leave an invalid index.
        let lockTimeout = migration.isWithoutTransaction ? .zero : Limits.migrationLockTimeout
        do throws(PostgresError) {
            try await session.execute(script: "SET lock_timeout = \(lockTimeout.wholeMilliseconds)")
            if !migration.isWithoutTransaction { _ = try await session.query("BEGIN") }
            try await session.execute(script: migration.text)
            _ = try await session.query(
                """
                INSERT INTO applied_migration (number, name, sha256)
                VALUES (\(migration.number), \(migration.name), sha256(\(Array(migration.text.utf8))))
                """)
            if !migration.isWithoutTransaction { try await commit(session) }
        } catch {
            throw PostgresError(error.kind, "migration \(migration.name): \(error.message)").with(
                origin: error)
        }
    }

    /// A file that ends the transaction itself may be applied partially, so it fails.
    private func commit(_ session: PostgresSession) async throws(PostgresError) {
        guard try await session.query("COMMIT").commandTag == "COMMIT" else {
            throw PostgresError(.schema, "its transaction did not commit")
        }
    }

    /// Polls instead of waiting in the server: a waiting statement would hold a snapshot for which another
    /// runner's CREATE INDEX CONCURRENTLY waits.
    private func takeLock(_ session: PostgresSession, clock: HostClock) async throws {
        let statement: Statement = "SELECT pg_try_advisory_lock(hashtextextended('applied_migration', 0))"
        while try await session.query(statement).first?.decode(0, as: Bool.self) != true {
            try await clock.sleep(for: Limits.migrationLockPause)
        }
    }
}

extension Migrations {
    private static let tableDefinition: Statement = """
        CREATE TABLE IF NOT EXISTS applied_migration (
            number int PRIMARY KEY,
            name text NOT NULL,
            sha256 bytea NOT NULL
        )
        """

    private var comparing: Statement {
        """
        SELECT coalesce(w.number, a.number) AS number, w.name AS wanted, a.name AS applied,
               coalesce(sha256(w.body) = a.sha256, false) AS same_text
        FROM unnest(\(all.map(\.number)), \(all.map(\.name)), \(all.map { Array($0.text.utf8) }))
             AS w (number, name, body)
        FULL JOIN applied_migration a ON a.number = w.number
        ORDER BY 1
        """
    }

    private static func comparison(from rows: Rows) throws(PostgresError) -> SchemaComparison {
        var entries: [SchemaComparison.Entry] = []
        for row in rows {
            entries.append(
                SchemaComparison.Entry(
                    number: try row["number"], wanted: try row["wanted"], applied: try row["applied"],
                    isSameText: try row["same_text"]))
        }
        return SchemaComparison(entries)
    }
}
