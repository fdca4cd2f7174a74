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
    let dependencies: RecorderDependencies
    let logger: Logger

    func run() async {
        var delay = Limits.shortestRestart
        // What another source lists may lie further back.
        var isBrief = channel.settings.sources.count == 1
        // How many lines the journal held after the last look, none of which can be entered now; nil to look
        // again.
        var blockedLines: Int?
        // Requests keys for its segments while another node records.
        var keys: UnownedKeys?
        while !Task.isCancelled {
            do {
                let taken = try await lease()
                if let lease = taken.value {
                    await keys?.cancel()
                    (blockedLines, keys) = (nil, nil)
                    let knewEnough = try await record(under: lease, isBrief: isBrief)
                    if !knewEnough {
                        isBrief = false
                        continue
                    }
                } else {
                    blockedLines = try await enterJournal(
                        unlessStill: taken.hasRecorded ? nil : blockedLines, &keys)
                }
                delay = Limits.shortestRestart
            } catch {
                if Task.isCancelled { break }
                blockedLines = nil
                logger.error("Recording stopped and begins again", metadata: ["error": "\(error)"])
                delay = min(delay * 2, Limits.longestRestart)
            }
            try? await dependencies.clock.sleep(for: delay)
        }
        await keys?.cancel()
    }

    /// Enters some of what the journal holds of a channel that another node owns.
    ///
    /// `blockedLines` is how many lines it held before, none of which could be entered; nil to look at them.
    /// Those wait for `keys`, which a separate task requests.
    ///
    /// - Returns: how many are left, if none can be entered now; else nil
    private func enterJournal(
        unlessStill blockedLines: Int?, _ keys: inout UnownedKeys?,
    ) async throws -> Int? {
        let journal = try dependencies.journal.channel(channel.id)
        try await journal.removeResumePoint()
        let unowned = UnownedJournal(channel: channel, dependencies: dependencies)
        let count = try await journal.waitingCount()
        if count != blockedLines {
            guard let waiting = try await unowned.enterBatch() else { return nil }
            if !waiting.isEmpty {
                let taken = keys ?? UnownedKeys(channel: channel, dependencies: dependencies, logger: logger)
                await taken.take(waiting)
                keys = taken
            }
        }
        guard let keys else { return count }
        try await keys.enterOpened(in: unowned)
        await keys.start()
        return try await journal.waitingCount()
    }

    /// Takes the lease; the channel is recorded meanwhile if the catalogue is away and this node owned it.
    private func lease() async throws -> (value: TakenLease?, hasRecorded: Bool) {
        try await whileRecording(under: nil) { try await takeLease() }
    }

    private func takeLease() async throws -> TakenLease? {
        guard dependencies.isCatalogueReady() else { throw CatalogueError.notInTime }
        let isSteady = heartbeat.isSteady(at: dependencies.clock.steady())
        let lease = try await dependencies.catalogue.takeLease(
            channel: channel.row, node: node, takesOver: isSteady)
        return lease.map { TakenLease(lease: $0, taken: Moment(dependencies.clock)) }
    }

    /// - Returns: whether enough was read of where the recording stopped; with `isBrief` that is little
    private func record(under taken: TakenLease, isBrief: Bool) async throws -> Bool {
        defer { dependencies.board.set(nil, of: channel.id) }
        let started = await Result { try await recorder(under: taken, isBrief: isBrief) }
        if Task.isCancelled, case .failure = started { await release(taken.lease) }
        guard let (recorder, lease) = try started.get() else { return true }
        logger.info("Recording", metadata: ["fence": "\(lease.lease.fence)"])
        let result = await run(recorder, since: lease.clock.date(at: dependencies.clock.steady()))
        unfinished.leave(result.unfinished, of: channel.row, under: lease.lease.fence)
        if result.ending == .needsMoreHistory, !Task.isCancelled { return false }
        await release(lease.lease)
        switch result.ending {
        case .stopped, .needsMoreHistory: break
        case .leaseLost: logger.warning("Another node has taken the channel, or it was reanchored")
        case .failed(let reason): throw RecordingFailure(description: reason)
        }
        return true
    }

    /// Records, and concurrently stores the start of the recording span in the catalogue.
    private func run(_ recorder: ChannelRecorder, since begin: Instant) async -> ChannelRecorder.Result {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await beginRecording(at: begin) }
            let result = await recorder.run()
            group.cancelAll()
            return result
        }
    }

    private func beginRecording(at begin: Instant) async {
        while !Task.isCancelled {
            do {
                return try await dependencies.catalogue.beginRecording(channel: channel.row, at: begin)
            } catch {
                if Task.isCancelled { return }
                logger.warning(
                    "The start of a recording could not be entered", metadata: ["error": "\(error)"])
                try? await dependencies.clock.sleep(for: Limits.longestRestart)
            }
        }
    }

    /// - Returns: nil if the lease is not to be used any more
    private func recorder(
        under taken: TakenLease, isBrief: Bool,
    ) async throws -> (ChannelRecorder, TakenLease)? {
        var (taken, leases) = (taken, Int64(1))
        let journal = try dependencies.journal.channel(channel.id)
        let held: HeldRecording
        if let point = taken.lease.reanchor, try await isNew(point, to: journal) {
            // Nothing is recorded meanwhile: what the journal has ahead of the point goes first.
            try await UnownedJournal(channel: channel, dependencies: dependencies)
                .setAsidePreviousTimeline(of: point, now: taken.clock.date(at: taken.taken.steady))
            held = try await readHeld(journal, isBrief: isBrief)
        } else {
            let read = try await whileRecording(under: taken) {
                try await readHeld(journal, isBrief: isBrief)
            }
            held = read.value
            if read.hasRecorded {
                guard let renewed = try await takeLease(), renewed.lease.reanchor == taken.lease.reanchor
                else { return nil }
                taken = renewed
                leases += 1
            }
        }
        var point = ResumePoint(
            channel, taken.lease, held.heads, held.newestRun, lastRun: held.lastRun)
        point.followsOther = point.follows(try? await journal.resumePoint(), leases: leases)
        await store(point, in: journal)
        // Reading took its time, and other channels came before this one.
        let now = Moment(dependencies.clock)
        let state = RecordingState(
            channel: channel, lease: taken.lease(at: now.steady), heads: held.heads,
            newestRun: held.newestRun, lastRun: held.lastRun,
            unfinished: unfinished.take(of: channel.row, reanchor: taken.lease.reanchor), at: now,
            seed: dependencies.seed())
        return (recorder(state, journal), taken)
    }

    /// Stores what a start without PostgreSQL goes on with; recording does not depend on it.
    private func store(_ point: ResumePoint, in journal: ChannelJournal) async {
        do {
            try await journal.store(point)
        } catch {
            logger.warning(
                "Cannot store the resume point: no recording after a start without PostgreSQL",
                metadata: ["error": "\(error)"])
            // An older one is of another lease.
            try? await journal.removeResumePoint()
        }
    }

    /// Whether this node has not recorded since a channel was reanchored.
    private func isNew(_ point: ReanchorPoint, to journal: ChannelJournal) async throws -> Bool {
        try await journal.resumePoint().map { $0.fence < point.fence } ?? true
    }

    func recorder(_ state: RecordingState, _ journal: ChannelJournal) -> ChannelRecorder {
        let runner = ActionRunner(
            channel: channel, dependencies: dependencies, journal: journal, logger: logger)
        return ChannelRecorder(state, performer: runner, clock: dependencies.clock, logger: logger)
    }

    /// Reads where the recording stopped.
    private func readHeld(_ journal: ChannelJournal, isBrief: Bool) async throws -> HeldRecording {
        let read = try await starts.withPermit {
            let waiting = try await journal.waitingCount()
            let heads = try await dependencies.catalogue.heads(
                of: channel.row, journalLines: waiting, isBrief: isBrief)
            return try await HeldRecording(heads, of: channel.row, in: dependencies.catalogue)
        }
        guard let read else { throw CancellationError() }
        return read
    }

    /// Gives the lease back, so that another node can take the channel at once.
    ///
    /// A cancelled task still does it, within a limit.
    private func release(_ lease: Lease) async {
        do {
            try await withCancellationShield(within: Limits.lastCommit, by: dependencies.clock) {
                try await dependencies.catalogue.releaseLease(
                    channel: channel.row, fence: lease.fence, node: node)
            }
        } catch {
            logger.warning(
                "The lease could not be released; it expires by itself", metadata: ["error": "\(error)"])
        }
    }
}

/// What the catalogue knows of a channel when its recording is resumed.
struct HeldRecording: Sendable {
    var heads: [RenditionHead]
    /// The source run with the highest id.
    var newestRun: SourceRun?
    /// The one that the heads end with.
    var lastRun: SourceRun?

    /// Asks for the runs of a channel with these heads.
    init(_ heads: [RenditionHead], of channel: Int32, in catalogue: Catalogue) async throws(CatalogueError) {
        self.heads = heads
        newestRun = try await catalogue.newestSourceRun(of: channel)
        let last = heads.compactMap(\.lastOfSource).max { ($0.end, $0.run) < ($1.end, $1.run) }?.run
        lastRun = newestRun
        if let last, last != newestRun?.id { lastRun = try await catalogue.sourceRun(last, of: channel) }
    }
}

/// A lease, and when it was taken.
struct TakenLease: Sendable {
    var lease: Lease
    var taken: Moment

    /// The clock that recording goes by.
    var clock: RecordingClock { lease.clock(at: taken) }

    /// The lease with what the database's clock says at an instant.
    func lease(at now: SteadyInstant) -> Lease {
        var lease = lease
        lease.databaseDate = lease.databaseDate.map { $0 + (now - taken.steady).wholeMicroseconds }
        return lease
    }
}

/// Why the recording of a channel stopped without being told to.
struct RecordingFailure: Error, CustomStringConvertible {
    var description: String
}
