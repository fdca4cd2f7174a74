import ArgumentParser

/// The program; wrong arguments of any command end it with status 2.
@main
struct BackcastMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backcast",
        abstract: "Catch-up TV: records live HLS channels and plays any window of them",
        version: Version.text,
        subcommands: [
            RunCommand.self, RecordCommand.self, ServeCommand.self, MigrateCommand.self, ProbeCommand.self,
            DownloadCommand.self, DownloadsCommand.self, PlayCommand.self, ChannelCommand.self,
            StatusCommand.self,
            TokenCommand.self,
        ])

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let furtherSources = ProbeCommand.takeFurtherSources(from: &arguments)
        do {
            var command = try parseAsRoot(arguments)
            if var probe = command as? ProbeCommand {
                probe.sources += furtherSources
                try await probe.run()
            } else if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            let isWrongFlag = (error as? SettingsError)?.hasWrongFlag ?? false
            guard exitCode(for: error) == .validationFailure || isWrongFlag else { exit(withError: error) }
            let message = message(for: error)
            let isCommand = configuration.subcommands.contains {
                $0.configuration.commandName == arguments.first
            }
            DownloadCommand.printError(isCommand ? message : "\(message); see 'backcast --help'")
            exit(withError: ExitCode(2))
        }
    }
}

/// The program's version.
enum Version {
    /// The release (semver.org).
    static let text = "0.1.0"
}
