import ArgumentParser
import Concurrency
import Synchronization

/// A minute encoded once, published on many channels.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Publishes a minute, encoded once, endlessly and on many channels")

    @OptionGroup var origin: OriginOptions

    @Option(help: "Channels, named ch1, ch2 and so on.")
    var channels = 1

    @Option(help: "Length of what is repeated.")
    var minuteSeconds = 60.0

    @Flag(
        inversion: .prefixedNo,
        help: "Go on with the timestamps at each repetition instead of a DISCONTINUITY.")
    var continuous = true

    @Flag(help: "Show the same media at the same time as every origin that is started so on the same day.")
    var aligned = false

    @Flag(help: "Add a second language, with the audio of the first one.")
    var secondLanguage = false

    @Option(help: "Segments that are listed at the start.")
    var prefill = 1

    mutating func validate() throws {
        guard (1...Limits.channels).contains(channels) else {
            throw ValidationError("--channels: from 1 to \(Limits.channels)")
        }
        guard minuteSeconds > 0, minuteSeconds <= Limits.minuteSeconds else {
            throw ValidationError("--minute-seconds: above 0, at most \(Limits.minuteSeconds)")
        }
        guard !secondLanguage || origin.audio == .separate else {
            throw ValidationError("--second-language: only with --audio separate")
        }
        guard (1...10_000).contains(prefill) else { throw ValidationError("--prefill: from 1 to 10000") }
    }

    func run() async throws {
        try origin.prepareFolder()
        var options = origin.channel(defaultBitsPerSecond: 5_000_000)
        let cache = MinuteCache(folder: origin.folder, options: options, minuteSeconds: minuteSeconds)
        let encoded = try await cache.minute()
        let minute = secondLanguage ? encoded.withSecondLanguage(&options.layout) : encoded
        options.bandwidths = minute.bandwidths
        let ledger = try Ledger(path: origin.ledgerPath)
        let made = (1...channels).map { Channel(name: "ch\($0)", options: options, ledger: ledger) }
        try await Origin(options: origin, channels: made, ledger: ledger).run { ready in
            try await publish(made, minute: minute, ready: ready)
        }
    }

    /// Steps all channels in turn until the task is cancelled; their segments are due one after the other.
    private func publish(_ channels: [Channel], minute: EncodedMinute, ready: () -> Void) async throws {
        let start = WallClock.seconds()
        var publishers = channels.enumerated().map { index, channel in
            let phase = minute.segmentSeconds * Double(index) / Double(channels.count)
            let anchor = start - Double(prefill) * minute.segmentSeconds - phase
            return publisher(channel, minute: minute, anchor: anchor)
        }
        while !Task.isCancelled {
            for index in publishers.indices { try publishers[index].step(now: WallClock.seconds()) }
            ready()
            try? await WallClock.host.sleep(for: Limits.tick)
        }
    }

    private func publisher(_ channel: Channel, minute: EncodedMinute, anchor: Double) -> ReplayPublisher {
        var position = ReplayPosition(minute: minute, anchor: anchor)
        if aligned {
            let day = Double(Limits.daySeconds)
            position = ReplayPosition(minute: minute, anchor: (anchor / day).rounded(.down) * day)
            position.skip(to: anchor)
        }
        position.isContinuous = continuous
        position.hasSubtitles = origin.subtitles
        for track in minute.tracks {
            guard let bytes = track.initialization else { continue }
            channel.state.withLock { $0.initializations["\(track.id)/init.mp4"] = bytes }
        }
        return ReplayPublisher(channel: channel, position: position)
    }
}
