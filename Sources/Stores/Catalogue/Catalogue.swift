package import Logging
package import Postgres
import Timeline

/// Every question about what is recorded, and the only place with SQL.
///
/// Safe to share; each call takes a connection of the pool for its own time.
package final class Catalogue: Sendable {
    let pool: PostgresPool
    let logger: Logger
    let days = KnownDays()
    let channelFaults = KnownFaults()

    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Whether the database answers.
    package func isReachable() async -> Bool {
        await (try? pool.query("SELECT 1")) != nil
    }

    /// The names under which changes are announced to other processes.
    enum Announcement {
        /// A channel's settings changed, or it came or went; the payload is its slug.
        static let channel = "backcast_channel"
        /// A channel's published line or archive moved; the payload is its row id.
        static let publishedHead = "backcast_line"
    }
}
