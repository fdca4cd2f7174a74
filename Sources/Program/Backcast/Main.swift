import ArgumentParser

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

    /// Commands that end with status 2 for wrong arguments.
    private static let clients = [
        DownloadCommand.configuration, DownloadsCommand.configuration, PlayCommand.configuration,
        ChannelCommand.configuration,
        StatusCommand.configuration, TokenCommand.configuration,
    ]

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
            if clients.contains(where: { $0.commandName == arguments.first }),
                exitCode(for: error) == .validationFailure
            {
                DownloadCommand.printError(message(for: error))
                exit(withError: ExitCode(2))
            }
            exit(withError: error)
        }
    }
}

/// The program's version.
enum Version {
    /// The release (semver.org).
    static let text = "0.1.0"
}
