package import Logging
package import Postgres
import Synchronization
import Timeline

/// Reads and writes everything that is known about recordings; this module alone contains SQL.
///
/// Safe to share between tasks. Each call holds one pooled connection while it runs.
package final class Catalogue: Sendable {
    let pool: PostgresPool
    let logger: Logger
    let days = KnownDays()
    let channelFaults = KnownFaults()
    let knownSettings = KnownSettings()
    let packing = QuartersToPack()
    let pruned = PrunedIdentities()
    /// How often empty days were looked for.
    let emptyDayCalls = Atomic(0)
    /// The id of the last format that was examined for expiry; 0 begins again.
    let examinedFormat = Atomic<Int32>(0)

    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Whether the database answers.
    package func isReachable() async -> Bool {
        await (try? pool.query("SELECT 1")) != nil
    }

    /// The PostgreSQL notification channels on which processes announce changes.
    enum Announcement {
        /// A channel was created, changed or deleted; the payload is its id.
        static let channel = "backcast_channel"
        /// The published head or the archive of a channel changed; the payload is a `PublishedHeadChange`.
        static let publishedHead = "backcast_line"
        /// A playback token was revoked; the payload is empty.
        static let revocation = "backcast_revocation"
    }
}
