import Concurrency
import Logging
import Postgres

/// Checks repeatedly whether the database still has the program's schema.
///
/// Another one does not stop the program: a newer schema only adds to what older programs use.
struct SchemaWatch: Sendable {
    let migrations: Migrations
    let pool: PostgresPool
    let clock: HostClock
    let logger: Logger

    /// Looks until cancelled, and logs each difference once.
    func run() async {
        var reported: String?
        while !Task.isCancelled {
            let difference = await difference(reported)
            if let difference, difference != reported {
                logger.warning(
                    "The database has another schema than this program: restart it with the version that changed it",
                    metadata: ["error": "\(difference)"])
            }
            reported = difference
            try? await clock.sleep(for: Limits.schemaPause)
        }
    }

    /// The difference; nil if there is none, `known` if the database does not answer.
    private func difference(_ known: String?) async -> String? {
        do throws(PostgresError) {
            try await migrations.check(on: pool)
            return nil
        } catch {
            return error.kind == .schema ? error.message : known
        }
    }
}
