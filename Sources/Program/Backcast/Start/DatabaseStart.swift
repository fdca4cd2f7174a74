import Concurrency
import Logging
import Postgres

/// The database at the start of the program: waits for it, then migrates it or checks its schema.
struct DatabaseStart: Sendable {
    let pool: PostgresPool
    let clock: HostClock
    let logger: Logger

    /// Returns when the database answers; throws errors that waiting does not cure.
    func waitUntilReady() async throws {
        var pause = Limits.databasePause.first
        var report = clock.steady()
        while true {
            do throws(PostgresError) {
                _ = try await pool.query("SELECT 1")
                return
            } catch {
                guard error.isTransient else { throw error }
                if clock.steady() >= report {
                    logger.warning("Waiting for the database", metadata: ["error": "\(error)"])
                    report = clock.steady() + Limits.databaseReport
                }
            }
            try await clock.sleep(for: pause)
            pause = min(pause * 2, Limits.databasePause.longest)
        }
    }

    /// Applies missing migrations in the roles that do so; the other roles refuse a different schema.
    func prepareSchema(_ migrations: Migrations, for role: Role) async throws {
        guard role.appliesMigrations else { return try await check(migrations, for: role) }
        let applied = try await migrations.apply(on: pool)
        for name in applied { logger.notice("Migration applied", metadata: ["migration": "\(name)"]) }
    }

    private func check(_ migrations: Migrations, for role: Role) async throws {
        do throws(PostgresError) {
            try await migrations.check(on: pool)
        } catch {
            guard error.kind == .schema else { throw error }
            throw ProgramError(
                "\(error.message); `backcast \(role.rawValue)` does not change the schema: run `backcast migrate` with this version"
            )
        }
    }
}
