import ArgumentParser
import Foundation
import Logging
import Probe

/// Says what playlists are, without a database.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Says what a playlist is and whether it can be recorded",
        discussion: "Ends with status 1 when one of the playlists is refused.")

    @Argument(help: ArgumentHelp("Playlists.", valueName: "url|file"))
    var sources: [String]

    @Flag(help: "One line of JSON for each playlist.")
    var json = false

    /// Takes all sources but the first out of the program's arguments.
    ///
    /// The parser needs time that grows with the square of their number, and there may be thousands.
    static func takeFurtherSources(from arguments: inout [String]) -> [String] {
        guard arguments.first == configuration.commandName else { return [] }
        var isFlagPossible = true
        var kept: [String] = []
        var sources: [String] = []
        for argument in arguments.dropFirst() {
            let isFlag = isFlagPossible && argument.hasPrefix("-")
            if argument == "--" { isFlagPossible = false }
            if isFlag { kept.append(argument) } else { sources.append(argument) }
        }
        // Behind `--`, if there is one, the parser takes it as it is.
        arguments = [arguments[0]] + kept.filter { $0 != "--" } + ["--"] + sources.prefix(1)
        return Array(sources.dropFirst())
    }

    func run() async throws {
        ProcessLimits.setSignals()
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        let prober = try PlaylistProber.open(for: sources, logger: logger)
        let isRefused: Bool
        do {
            isRefused = try await report(prober)
        } catch {
            await prober.close()
            throw error
        }
        await prober.close()
        if isRefused { throw ExitCode.failure }
    }

    /// Prints each report as soon as it is there; returns whether one of them is a refusal.
    private func report(_ prober: PlaylistProber) async throws -> Bool {
        var isRefused = false
        for source in sources {
            let report = await prober.report(on: source)
            let text = json ? report.jsonLine : Array(report.text.utf8)
            try FileHandle.standardOutput.write(contentsOf: Data(text))
            isRefused = isRefused || report.isRefused
        }
        return isRefused
    }
}
