import ArgumentParser
import Catalogue
import Concurrency
import Foundation
import Logging
import Postgres
import Timeline

/// Fills a migrated database and an archive, and prints what is there as JSON.
struct FillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Fills a migrated, empty catalogue and an archive.")

    @Option(help: "The database, a libpq URI.")
    var database: String

    @Option(help: "The folder of segments; without it no bytes are written.")
    var archive: String?

    @Option(help: "Days that each channel was recorded.")
    var days = 7

    @Option(help: "When the recording ends, seconds since 1970; now if it is not given.")
    var end: Int64?

    @Option(help: "Channels with one rendition and segments of 4 s.")
    var channels = 41

    @Option(help: "Renditions of the channel with several; 0 leaves it out.")
    var variants = 8

    @Flag(help: "Adds a channel with segments of 2 s.")
    var short = false

    func run() async throws {
        let clock = HostClock.system
        let plan = CataloguePlan(
            end: end.map(Instant.init(seconds:)) ?? clock.now(), days: days, channels: channels,
            variants: variants, hasShortSegments: short)
        var logger = Logger(label: "benchmarks")
        logger.logLevel = .warning
        let pool = PostgresPool(
            PoolConfiguration(
                try ConnectionString(database), size: Self.writers, statementTimeout: .seconds(600),
                acquireTimeout: .seconds(3600), applicationName: "backcast benchmarks"),
            logger: logger)
        let filler = CatalogueFiller(
            catalogue: Catalogue(pool: pool, logger: logger), pool: pool, plan: plan)
        do {
            try await filler.fill(writers: Self.writers)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
        if let archive { try ArchiveFiller(folder: archive).fill(plan) }
        print(String(decoding: try JSONEncoder().encode(PlanReport(plan)), as: UTF8.self))
    }

    /// Renditions that are written at a time: more only wait for each other.
    private static let writers = 2
}
