import ArgumentParser
import Concurrency

/// One channel from an encoder that runs in real time.
struct EncodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode", abstract: "Publishes what an encoder makes in real time")

    @OptionGroup var origin: OriginOptions

    @Option(help: "Name of the channel.")
    var channel = "demo"

    @Flag(inversion: .prefixedNo, help: "Write a DISCONTINUITY when the encoder is restarted.")
    var restartDiscontinuity = true

    mutating func validate() throws {
        let isPlain = channel.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
        }
        guard !channel.isEmpty, isPlain, !["static", "control"].contains(channel) else {
            throw ValidationError("--channel: letters, digits, - and _")
        }
    }

    func run() async throws {
        try origin.prepareFolder()
        let options = origin.channel(defaultBitsPerSecond: 1_200_000)
        let ledger = try Ledger(path: origin.ledgerPath)
        let made = Channel(name: channel, options: options, ledger: ledger)
        let folder = "\(origin.folder)/encoder-\(channel)"
        var arguments = EncoderArguments(
            layout: options.layout, segmentSeconds: origin.segmentSeconds, folder: folder)
        arguments.toneFrequency = Self.toneFrequency(of: channel)
        arguments.playlistSegments = Limits.encoderPlaylistSegments
        let publisher = EncoderPublisher(
            channel: made, folder: folder, arguments: arguments,
            restart: .init(hasDiscontinuity: restartDiscontinuity), now: WallClock.seconds)
        try await Origin(options: origin, channels: [made], ledger: ledger).run { ready in
            try await run(publisher, ready: ready)
        }
    }

    private func run(_ publisher: EncoderPublisher, ready: @Sendable @escaping () -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await publisher.run() }
            group.addTask {
                while !Task.isCancelled {
                    ready()
                    try? await WallClock.host.sleep(for: Limits.encoderPoll)
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Channels are distinguishable by their tone: 300 to 900 Hz.
    static func toneFrequency(of channel: String) -> Int {
        300 + channel.utf8.reduce(7) { ($0 * 31 + Int($1)) % 601 }
    }
}
