import ArgumentParser

/// What `make bench` needs beside the service: a catalogue of weeks, and a channel that goes on growing.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Fills a catalogue and an archive for measurements.",
        subcommands: [FillCommand.self, GrowCommand.self])
}
