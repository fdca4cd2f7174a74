import Concurrency
import Foundation
import Synchronization

/// Publishes one channel from an encoder that runs in real time, and restarts that encoder.
final class EncoderPublisher: Sendable {
    let channel: Channel
    let folder: String
    let arguments: EncoderArguments
    /// How the numbering restarts when the encoder died by itself.
    let restart: PublisherCommand.Restart
    let now: @Sendable () -> Double

    init(
        channel: Channel, folder: String, arguments: EncoderArguments, restart: PublisherCommand.Restart,
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
            let next = try await runEncoder()
            guard !Task.isCancelled else { return }
            if let end = channel.state.withLock({ $0.end }) {
                try await WallClock.host.sleep(for: .seconds(max(0, end.until - now())))
                channel.state.withLock { state in
                    state.end = nil
                    state.restart(end.restart ?? restart)
                }
            } else {
                if next == nil { try await WallClock.host.sleep(for: Limits.encoderRestartDelay) }
                channel.state.withLock { $0.restart(next ?? restart) }
            }
        }
    }

    /// Runs one encoder to its end and returns the requested restart; nil when it died.
    private func runEncoder() async throws -> PublisherCommand.Restart? {
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
        let requested = try await publish(while: { isRunning.withLock { $0 } }, encoder: encoder)
        _ = try await status
        return requested
    }

    /// Publishes what the encoder finishes, until it has ended.
    private func publish(while isRunning: () -> Bool, encoder: EncoderProcess) async throws
        -> PublisherCommand
        .Restart?
    {
        var output = EncoderOutput(folder: folder, layout: channel.state.withLock { $0.options.layout })
        output.hasSubtitles = output.layout.renditions.contains { $0.kind == .subtitles }
        var requested: PublisherCommand.Restart?
        var isLastRound = false
        while !isLastRound && !Task.isCancelled {
            isLastRound = !isRunning()
            for command in channel.removeCommands() {
                if case .restart(let restart) = command { requested = restart }
                execute(command)
                encoder.stop()
            }
            try publish(from: &output)
            try? await WallClock.host.sleep(for: Limits.encoderPoll)
        }
        return requested
    }

    /// Nothing while the channel is stalled or has ended; the encoder's playlist keeps the segments.
    private func publish(from output: inout EncoderOutput) throws {
        let now = now()
        guard channel.state.withLock({ $0.stalledUntil <= now && $0.end == nil }) else { return }
        let segments = output.finished(at: now)
        let initializations = output.initializations
        channel.state.withLock { $0.initializations.merge(initializations) { $1 } }
        for segment in segments { try channel.publish(segment, now: now) }
    }

    private func execute(_ command: PublisherCommand) {
        guard case .end(let until, let restart) = command else { return }
        channel.state.withLock { $0.end = .init(until: until, restart: restart) }
    }
}
