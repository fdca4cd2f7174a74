import Concurrency
import Logging
import Postgres

/// The database at the start of the program: waits for it, and migrates it or checks its schema.
struct DatabaseStart: Sendable {
    let pool: PostgresPool
    let clock: HostClock
    let logger: Logger

    /// Returns when the database answers and has the program's schema; throws errors that waiting does not
    /// cure.
    ///
    /// A service also waits while the server fails for a reason of its own; a migration by hand ends then.
    func prepare(_ migrations: Migrations, for role: Role) async throws {
        var pause = Limits.databasePause.first
        var report = clock.steady()
        while true {
            do {
                return try await prepareSchema(migrations, for: role)
            } catch let error as PostgresError
                where error.isTransient || error.isServerFault && role != .migrate
            {
                if clock.steady() >= report {
                    logger.warning("Waiting for the database", metadata: ["error": "\(error)"])
                    report = clock.steady() + Limits.databaseReportInterval
                }
            }
            try await clock.sleep(for: pause)
            pause = min(pause * 2, Limits.databasePause.longest)
        }
    }

    /// Applies missing migrations in the roles that do so; the other roles refuse a different schema.
    ///
    /// Where nothing is missing, a database that takes no writes at the moment is good enough.
    func prepareSchema(_ migrations: Migrations, for role: Role) async throws {
        guard try await !hasSchema(migrations, for: role) else { return }
        let applied = try await migrations.apply(on: pool)
        for name in applied { logger.notice("Migration applied", metadata: ["migration": "\(name)"]) }
    }

    /// Throws where the role must not change another schema.
    private func hasSchema(_ migrations: Migrations, for role: Role) async throws -> Bool {
        do throws(PostgresError) {
            try await migrations.check(on: pool)
            return true
        } catch {
            guard error.kind == .schema else { throw error }
            if role.appliesMigrations { return false }
            throw ProgramError(
                "\(error.message); `backcast \(role.rawValue)` does not change the schema: run `backcast migrate` with this version"
            )
        }
    }
}
