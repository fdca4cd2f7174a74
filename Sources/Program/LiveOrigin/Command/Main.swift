import ArgumentParser

@main
struct LiveOriginMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live-origin",
        abstract: "A live HLS origin for demonstrations and tests",
        discussion: """
            Every published segment is unlike every other, and is written into a ledger before a playlist lists it.
            Faults are asked for at run time: /control?fault=hole&channel=ch1&rendition=v0&count=3
            """,
        subcommands: [EncodeCommand.self, ReplayCommand.self])
}
