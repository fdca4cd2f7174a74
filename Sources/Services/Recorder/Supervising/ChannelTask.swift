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
    let unfinished: UnfinishedSegments
    let parts: RecorderParts
    let logger: Logger

    func run() async {
        var delay = Limits.shortestRestart
        // What another source lists may lie further back.
        var isBrief = channel.settings.sources.count == 1
        while !Task.isCancelled {
            do {
                if let lease = try await leaseOrRecording() {
                    let knewEnough = try await record(under: lease, isBrief: isBrief)
                    if !knewEnough {
                        isBrief = false
                        continue
                    }
                } else {
                    try await parts.journal.channel(channel.id).removeResumePoint()
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

    /// Takes the lease; if the catalogue is away and this node owned the channel, records without it until
    /// the catalogue answers.
    private func leaseOrRecording() async throws -> Lease? {
        do {
            return try await takeLease()
        } catch {
            let journal = try parts.journal.channel(channel.id)
            guard !Task.isCancelled, let point = try await journal.resumePoint() else { throw error }
            logger.warning("Recording without the catalogue", metadata: ["error": "\(error)"])
            return try await record(from: point, journal)
        }
    }

    private func takeLease() async throws -> Lease? {
        guard parts.isCatalogueReady() else { throw CatalogueError.notInTime }
        let isSteady = heartbeat.isSteady(at: parts.clock.steady())
        return try await parts.catalogue.takeLease(channel: channel.row, node: node, takesOver: isSteady)
    }

    /// Records from what the state folder knows; all facts stay in the journal.
    ///
    /// - Returns: the lease, when the catalogue answers again; nil if another node has it
    private func record(from point: ResumePoint, _ journal: ChannelJournal) async throws -> Lease? {
        let entered = try await journal.newestEntered(
            count: Limits.resumedFacts * max(1, point.renditions.count))
        let state = RecordingState(
            channel: channel, lease: point.lease, heads: point.heads(entered.map(\.1)),
            newestRun: point.sourceRun,
            publishes: false, unfinished: unfinished.take(of: channel.row), at: Moment(parts.clock),
            seed: parts.seed())
        let runner = ActionRunner(channel: channel, parts: parts, journal: journal, logger: logger)
        let recorder = ChannelRecorder(state, performer: runner, clock: parts.clock, logger: logger)
        defer { parts.board.set(nil, of: channel.id) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { unfinished.leave(await recorder.run().unfinished, of: channel.row) }
            group.addTask { await catalogueAnswers() }
            // The recording ends by itself only if the journal cannot be read.
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
        logger.notice("The catalogue answers again")
        // What the first answer said of the time is old by now.
        return try await takeLease()
    }

    /// Waits until it is known who has the lease.
    private func catalogueAnswers() async {
        while !Task.isCancelled {
            try? await parts.clock.sleep(for: Limits.shortestRestart)
            do {
                _ = try await takeLease()
                return
            } catch {
                continue
            }
        }
    }

    /// - Returns: whether enough was read of where the recording stopped; with `isBrief` that is little
    private func record(under lease: Lease, isBrief: Bool) async throws -> Bool {
        defer { parts.board.set(nil, of: channel.id) }
        let recorder = try await recorder(under: lease, isBrief: isBrief)
        logger.info("Recording", metadata: ["fence": "\(lease.fence)"])
        let result = await recorder.run()
        unfinished.leave(result.unfinished, of: channel.row)
        if result.ending == .knewTooLittle, !Task.isCancelled { return false }
        await release(lease)
        switch result.ending {
        case .stopped, .knewTooLittle: break
        case .leaseLost: logger.warning("Another node has taken the channel, or it was reanchored")
        case .failed(let reason): throw RecordingFailure(description: reason)
        }
        return true
    }

    private func recorder(under lease: Lease, isBrief: Bool) async throws -> ChannelRecorder {
        var lease = lease
        let taken = Moment(parts.clock)
        let clock = RecordingClock(taken, databaseDate: lease.databaseDate)
        if let point = lease.reanchor {
            let journal = UnownedJournal(channel: channel, parts: parts)
            try await journal.enterAhead(of: point, now: clock.date(at: taken.steady))
        }
        let journal = try parts.journal.channel(channel.id)
        let read = try await starts.withPermit { try await readHeads(journal, isBrief: isBrief) }
        guard let (heads, newestRun) = read else { throw CancellationError() }
        try await journal.store(ResumePoint(channel, lease, heads, newestRun))
        try await parts.catalogue.beginRecording(
            channel: channel.row, at: clock.date(at: parts.clock.steady()))
        // Reading took its time, and other channels came before this one.
        let now = Moment(parts.clock)
        lease.databaseDate = lease.databaseDate.map { $0 + (now.steady - taken.steady).wholeMicroseconds }
        let state = RecordingState(
            channel: channel, lease: lease, heads: heads, newestRun: newestRun,
            unfinished: unfinished.take(of: channel.row), at: now, seed: parts.seed())
        let runner = ActionRunner(channel: channel, parts: parts, journal: journal, logger: logger)
        return ChannelRecorder(state, performer: runner, clock: parts.clock, logger: logger)
    }

    /// Reads where the recording stopped.
    private func readHeads(
        _ journal: ChannelJournal, isBrief: Bool,
    ) async throws -> ([RenditionHead], SourceRun?) {
        let waiting = try await journal.waitingCount()
        let heads = try await parts.catalogue.heads(
            of: channel.row, journalLines: waiting, isBrief: isBrief)
        return (heads, try await parts.catalogue.newestSourceRun(of: channel.row))
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
