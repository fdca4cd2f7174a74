import ArgumentParser
import Catalogue
import Concurrency
import Foundation
import Logging
import Postgres
import Timeline

/// Publishes a segment of a channel each time one is due, until the process is ended.
struct GrowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grow", abstract: "Lets a channel grow as a live one does, until it is ended.")

    @Option(help: "The database, a libpq URI.")
    var database: String

    @Option(help: "The channel, which must not be there yet.")
    var channel = "live"

    @Option(help: "Hours that it was recorded before now.")
    var hours = 1

    func run() async throws {
        let clock = HostClock.system
        var logger = Logger(label: "benchmarks")
        logger.logLevel = .warning
        let pool = PostgresPool(PoolConfiguration(try ConnectionString(database), size: 1), logger: logger)
        let planned = PlannedChannel(name: channel, byteCounts: [1_000_160])
        let catalogue = Catalogue(pool: pool, logger: logger)
        let writer = try await ChannelWriter(planned, catalogue: catalogue)
        let begin = clock.now() - Int64(hours) * 3600 * Microseconds.perSecond
        try await catalogue.prepareDays(around: begin)
        try await catalogue.beginRecording(channel: writer.channel.row, at: begin)
        let before = Int64(hours) * 3600 / planned.seconds
        try await writer.commit(0..<before, from: begin)
        try await catalogue.setPlaylistForm(.media, of: writer.channel.row)
        FileHandle.standardOutput.write(Data("Ready\n".utf8))
        let start = clock.steady()
        for number in before... {
            try await clock.sleep(
                until: start + .seconds(Int(planned.seconds) * Int(number - before + 1)))
            try await writer.commit(number..<(number + 1), from: begin)
        }
    }
}
