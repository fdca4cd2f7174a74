import ArgumentParser

@main
struct BackcastMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backcast",
        abstract: "Catch-up TV: records live HLS channels and plays any window of them",
        version: Version.text,
        subcommands: [RunCommand.self, RecordCommand.self, ServeCommand.self, MigrateCommand.self])
}

/// The program's version.
enum Version {
    /// The release (semver.org).
    static let text = "0.1.0"
}
