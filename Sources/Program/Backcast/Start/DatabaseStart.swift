import Logging
import Postgres

/// The database at the start: waited for, then brought to or held against the program's schema.
struct DatabaseStart: Sendable {
    let pool: PostgresPool
    let logger: Logger

    /// Returns when the database answers; trouble that does not pass by itself is thrown.
    func waitUntilReady() async throws {
        var pause = Limits.databasePause.first
        var report = ContinuousClock.now
        while true {
            do throws(PostgresError) {
                _ = try await pool.query("SELECT 1")
                return
            } catch {
                guard error.isTransient else { throw error }
                if ContinuousClock.now >= report {
                    logger.warning("Waiting for the database", metadata: ["cause": "\(error)"])
                    report = .now + Limits.databaseReport
                }
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Limits.databasePause.longest)
        }
    }

    /// Applies what the database has not had, for the roles that do; the others refuse another schema.
    func settleSchema(_ migrations: Migrations, for role: Role) async throws {
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
                "\(error.message); `backcast \(role.rawValue)` changes no schema: run `backcast migrate` with this version"
            )
        }
    }
}
