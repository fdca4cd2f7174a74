import Foundation
import Synchronization

/// Publishes one channel from an encoder that runs in real time, and keeps that encoder running.
final class EncoderPublisher: Sendable {
    let channel: Channel
    let folder: String
    let arguments: EncoderArguments
    /// How the numbering begins anew when the encoder died by itself.
    let restart: FeedCommand.Restart
    let now: @Sendable () -> Double

    init(
        channel: Channel, folder: String, arguments: EncoderArguments, restart: FeedCommand.Restart,
        now: @escaping @Sendable () -> Double,
    ) {
        self.channel = channel
        self.folder = folder
        self.arguments = arguments
        self.restart = restart
        self.now = now
    }

    /// Runs encoders one after the other until the task is cancelled.
    func run() async throws {
        while !Task.isCancelled {
            let next = try await oneEncoder()
            guard !Task.isCancelled else { return }
            if let end = channel.state.withLock({ $0.end }) {
                try await Task.sleep(for: .seconds(max(0, end.until - now())))
                channel.state.withLock { state in
                    state.end = nil
                    state.restart(end.restart ?? restart)
                }
            } else {
                if next == nil { try await Task.sleep(for: Limits.encoderRestartDelay) }
                channel.state.withLock { $0.restart(next ?? restart) }
            }
        }
    }

    /// Runs one encoder to its end; gives the restart that was asked for, nil when it died.
    private func oneEncoder() async throws -> FeedCommand.Restart? {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var arguments = arguments
        arguments.folder = folder
        let list = arguments.list()
        let encoder = EncoderProcess()
        let isRunning = Mutex(true)
        async let status: Int32 = {
            defer { isRunning.withLock { $0 = false } }
            return try await encoder.run(list)
        }()
        let asked = try await publish(while: { isRunning.withLock { $0 } }, encoder: encoder)
        _ = try await status
        return asked
    }

    /// Publishes what the encoder finishes, until it is gone.
    private func publish(while isRunning: () -> Bool, encoder: EncoderProcess) async throws -> FeedCommand
        .Restart?
    {
        var feed = EncoderFeed(folder: folder, layout: channel.state.withLock { $0.options.layout })
        feed.hasSubtitles = feed.layout.renditions.contains { $0.kind == .subtitles }
        var asked: FeedCommand.Restart?
        var isLastRound = false
        while !isLastRound && !Task.isCancelled {
            isLastRound = !isRunning()
            for command in channel.takeCommands() {
                if case .restart(let restart) = command { asked = restart }
                obey(command)
                encoder.stop()
            }
            try publish(from: &feed)
            try? await Task.sleep(for: Limits.encoderPoll)
        }
        return asked
    }

    /// Nothing while the channel is stalled or has ended; the encoder's list remembers it.
    private func publish(from feed: inout EncoderFeed) throws {
        let now = now()
        guard channel.state.withLock({ $0.stalledUntil <= now && $0.end == nil }) else { return }
        let segments = feed.finished(at: now)
        let initializations = feed.initializations
        channel.state.withLock { $0.initializations.merge(initializations) { $1 } }
        for segment in segments { try channel.publish(segment, now: now) }
    }

    private func obey(_ command: FeedCommand) {
        guard case .end(let until, let restart) = command else { return }
        channel.state.withLock { $0.end = .init(until: until, restart: restart) }
    }
}
