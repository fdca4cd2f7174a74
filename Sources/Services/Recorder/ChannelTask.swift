import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// A channel on this node, for as long as it is meant to be recorded: takes the lease, records, and begins
/// again after whatever ended it.
///
/// It never gives up; cancelling is the only way to stop it.
struct ChannelTask: Sendable {
    let channel: Channel
    let node: String
    let heartbeat: Heartbeat
    let parts: RecorderParts
    let logger: Logger

    func run() async {
        var delay = 1.0
        while !Task.isCancelled {
            do {
                if let lease = try await takeLease() {
                    try await record(under: lease)
                } else {
                    _ = try await FormerJournal(channel: channel, parts: parts).enterSome()
                }
                delay = 1
            } catch {
                if Task.isCancelled { break }
                logger.error("Recording stopped and begins again", metadata: ["cause": "\(error)"])
                delay = min(delay * 2, Limits.longestRestart)
            }
            try? await Task.sleep(for: .seconds(delay))
        }
    }

    private func takeLease() async throws -> Lease? {
        let isSteady = heartbeat.isSteady(at: parts.clock.steady())
        return try await parts.catalogue.takeLease(channel: channel.row, node: node, takesOver: isSteady)
    }

    private func record(under lease: Lease) async throws {
        defer { parts.board.set(nil, of: channel.id) }
        let journal = try parts.journal.channel(channel.id)
        let recorder = ChannelRecorder(
            channel: channel, lease: lease, parts: parts, journal: journal, logger: logger)
        let heads = try await parts.catalogue.heads(of: channel.row)
        try await recorder.resume(
            heads: heads, newestSourceRun: try await parts.catalogue.newestSourceRun(of: channel.row))
        try await parts.catalogue.beginRecording(channel: channel.row, at: parts.clock.now())
        let fetching = ChannelFetching(recorder: recorder)
        try await fetching.resumeWaiting()
        logger.info("Recording", metadata: ["fence": "\(lease.fence)"])
        let outcome = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            group.addTask { await result { try await commitSteadily(recorder) } }
            group.addTask {
                await result { await SourceFollower(recorder: recorder, fetching: fetching).run() }
            }
            group.addTask { await result { await fetching.room.run() } }
            let first = await group.next() ?? .success(())
            group.cancelAll()
            return first
        }
        await finish(recorder, fetching.pools, lease)
        try outcome.get()
    }

    /// Lets downloads in flight finish and enters them.
    ///
    /// This runs outside of the cancelled task, whose waits would all end at once.
    private func finish(_ recorder: ChannelRecorder, _ pools: FetchPools, _ lease: Lease) async {
        await Task {
            await pools.drain(within: .seconds(8))
            await enterLast(recorder, lease)
        }.value
    }

    /// Enters what is left and gives the lease back, as far as the catalogue takes it in time.
    private func enterLast(_ recorder: ChannelRecorder, _ lease: Lease) async {
        let entering = Task {
            repeat { _ = try await recorder.commit() } while await recorder.hasMore && !Task.isCancelled
            try await parts.catalogue.releaseLease(channel: channel.row, fence: lease.fence)
        }
        let deadline = Task {
            try await Task.sleep(for: Limits.lastCommit)
            entering.cancel()
        }
        do {
            try await entering.value
        } catch {
            logger.warning("The last facts stay in the journal", metadata: ["cause": "\(error)"])
        }
        deadline.cancel()
    }

    private func commitSteadily(_ recorder: ChannelRecorder) async throws {
        while !Task.isCancelled {
            guard try await recorder.commit() else {
                logger.warning("Another node has taken the channel")
                return
            }
            await recorder.refreshStatus()
            if await !recorder.hasMore { try await Task.sleep(for: .milliseconds(200)) }
        }
    }
}

/// Runs a body and keeps what it threw.
private func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
    do {
        return .success(try await body())
    } catch {
        return .failure(error)
    }
}
