import Catalogue
import Journal
package import Logging
import Timeline

/// Records every channel that is meant to be recorded and that no other node holds.
package struct RecorderService: Sendable {
    /// Seconds that a node is believed alive after a heartbeat.
    private static let heartbeatSeconds = 15

    private let node: String
    private let parts: RecorderParts
    private let logger: Logger

    /// Prepares a recorder.
    ///
    /// `node` is a UUID that stays the same over restarts, so that a node takes back its own channels at
    /// once.
    package init(node: String, parts: RecorderParts, logger: Logger) {
        self.node = node
        self.parts = parts
        self.logger = logger
    }

    /// Records until cancelled; then lets downloads in flight finish and enters them.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await beat() }
            group.addTask { await prepareDays() }
            group.addTask { await supervise() }
        }
    }

    private func beat() async {
        while !Task.isCancelled {
            do {
                try await parts.catalogue.heartbeat(node: node, seconds: Self.heartbeatSeconds, about: "{}")
            } catch {
                logger.warning("The heartbeat failed", metadata: ["cause": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(4))
        }
    }

    private func prepareDays() async {
        while !Task.isCancelled {
            do {
                try await parts.catalogue.prepareDays(around: parts.clock.now())
                try? await Task.sleep(for: .seconds(3600))
            } catch {
                logger.warning("Partitions could not be made", metadata: ["cause": "\(error)"])
                try? await Task.sleep(for: .seconds(5))
            }
        }
    }

    /// Starts, restarts and stops channels as their settings say.
    private func supervise() async {
        var running: [Int32: (version: Int64, task: Task<Void, Never>)] = [:]
        var retired: Set<Int32> = []
        while !Task.isCancelled {
            if let channels = try? await parts.catalogue.everyChannel() {
                for channel in channels {
                    await settle(channel, &running)
                    if running[channel.row] != nil {
                        retired.remove(channel.row)
                    } else if retired.insert(channel.row).inserted {
                        await retire(channel)
                    }
                }
            }
            try? await Task.sleep(for: .seconds(1))
        }
        for (_, task) in running.values { task.cancel() }
        for (_, task) in running.values { await task.value }
    }

    private func settle(
        _ channel: Channel, _ running: inout [Int32: (version: Int64, task: Task<Void, Never>)],
    ) async {
        let isWanted = channel.settings.recording && !channel.isDeleted
        if let current = running[channel.row], !isWanted || current.version != channel.version {
            current.task.cancel()
            await current.task.value
            running[channel.row] = nil
        }
        guard isWanted, running[channel.row] == nil else { return }
        var logger = logger
        logger[metadataKey: "channel"] = "\(channel.id)"
        let task = ChannelTask(channel: channel, node: node, parts: parts, logger: logger)
        running[channel.row] = (channel.version, Task { await task.run() })
    }

    /// The channel is not meant to be recorded any more.
    private func retire(_ channel: Channel) async {
        do {
            try await parts.catalogue.endRecording(channel: channel.row, at: parts.clock.now())
        } catch {
            logger.warning(
                "The end of a recording could not be entered",
                metadata: ["channel": "\(channel.id)", "cause": "\(error)"])
        }
    }
}
