import Concurrency
import Catalogue
import Journal
import Logging
import Monitoring
import Timeline

/// A channel on this node, for as long as it is to be recorded: takes the lease, records, and begins again
/// after whatever ended the recording.
///
/// It never gives up; cancelling is the only way to stop it.
struct ChannelTask: Sendable {
    let channel: Channel
    let node: String
    let heartbeat: Heartbeat
    /// Bounds how many channels read where they stopped at the same time.
    let starts: AsyncSemaphore
    let parts: RecorderParts
    let logger: Logger

    func run() async {
        var delay = Limits.shortestRestart
        while !Task.isCancelled {
            do {
                if let lease = try await takeLease() {
                    try await record(under: lease)
                } else {
                    _ = try await UnownedJournal(channel: channel, parts: parts).enterSome()
                }
                delay = Limits.shortestRestart
            } catch {
                if Task.isCancelled { break }
                logger.error("Recording stopped and begins again", metadata: ["error": "\(error)"])
                delay = min(delay * 2, Limits.longestRestart)
            }
            try? await parts.clock.sleep(for: delay)
        }
    }

    private func takeLease() async throws -> Lease? {
        let isSteady = heartbeat.isSteady(at: parts.clock.steady())
        return try await parts.catalogue.takeLease(channel: channel.row, node: node, takesOver: isSteady)
    }

    private func record(under lease: Lease) async throws {
        defer { parts.board.set(nil, of: channel.id) }
        let recorder = try await recorder(under: lease)
        logger.info("Recording", metadata: ["fence": "\(lease.fence)"])
        let ending = await recorder.run()
        await release(lease)
        switch ending {
        case .stopped: break
        case .leaseLost: logger.warning("Another node has taken the channel")
        case .failed(let reason): throw RecordingFailure(description: reason)
        }
    }

    private func recorder(under lease: Lease) async throws -> ChannelRecorder {
        let journal = try parts.journal.channel(channel.id)
        let state = try await starts.withPermit { try await resume(under: lease, journal) }
        guard let state else { throw CancellationError() }
        let runner = ActionRunner(channel: channel, parts: parts, journal: journal, logger: logger)
        return ChannelRecorder(state, runner: runner, clock: parts.clock)
    }

    /// Reads where the recording stopped.
    private func resume(under lease: Lease, _ journal: ChannelJournal) async throws -> RecordingState {
        let waiting = try await journal.waitingCount()
        let state = RecordingState(
            channel: channel, lease: lease,
            heads: try await parts.catalogue.heads(of: channel.row, journalLines: waiting),
            newestRun: try await parts.catalogue.newestSourceRun(of: channel.row),
            at: Moment(date: parts.clock.now(), steady: parts.clock.steady()), seed: parts.seed())
        try await parts.catalogue.beginRecording(channel: channel.row, at: parts.clock.now())
        return state
    }

    /// Gives the lease back, so that another node can take the channel at once.
    ///
    /// A cancelled task still does it, within a limit.
    private func release(_ lease: Lease) async {
        do {
            try await withCancellationShield(within: Limits.lastCommit, by: parts.clock) {
                try await parts.catalogue.releaseLease(channel: channel.row, fence: lease.fence)
            }
        } catch {
            logger.warning("The lease runs out by itself", metadata: ["error": "\(error)"])
        }
    }
}

/// Why the recording of a channel stopped without being told to.
private struct RecordingFailure: Error, CustomStringConvertible {
    var description: String
}
