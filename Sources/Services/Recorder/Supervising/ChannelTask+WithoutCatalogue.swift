import Catalogue
import Concurrency
import Journal
import Logging
import Monitoring
import Timeline

/// Recording goes on while the catalogue is away, or waits for a lock as long as a statement may take.
extension ChannelTask {
    private enum Step<Value: Sendable>: Sendable {
        case worked(Result<Value, any Error>)
        /// The work takes long.
        case waited
        /// The recording beside the work has ended by itself.
        case recorded
    }

    /// What can be done with what the state folder knows.
    private enum Resumption {
        /// It does not know where the recording stopped.
        case nothing
        /// Another node recorded last, and this node does not know up to where: recording now would repeat
        /// segments and leave a gap.
        case later
        case recorder(ChannelRecorder, fence: Int64)
    }

    /// Does work that needs the catalogue.
    ///
    /// If it fails or takes long, the channel is recorded from what the state folder knows until the work,
    /// which is done again and again, succeeds; all facts stay in the journal. If another node recorded last,
    /// the lease is asked for a little longer before that.
    ///
    /// Throws what the work throws if the state folder does not know where the recording stopped.
    ///
    /// - Returns: what the work gave, and whether the channel was recorded meanwhile
    func whileRecording<Value: Sendable>(
        under lease: TakenLease?, _ work: @escaping @Sendable () async throws -> Value,
    ) async throws -> (value: Value, hasRecorded: Bool) {
        let patience = lease == nil ? Limits.catalogueWait : Limits.headsWait
        let begin = dependencies.clock.steady()
        return try await withThrowingTaskGroup(of: Step<Value>.self) { group in
            defer { group.cancelAll() }
            group.addTask { .worked(await Result(of: work)) }
            for wait in Set([patience, Limits.headsWait]) {
                group.addTask { try await waited(for: wait) }
            }
            var isRecording = false
            while let step = try await group.next() {
                var failure: (any Error)?
                switch step {
                case .worked(.success(let value)):
                    if isRecording { logger.notice("The catalogue answers again") }
                    return (value, isRecording)
                case .worked(.failure(let error)): failure = error
                case .waited: break
                case .recorded: throw RecordingFailure(description: "the journal cannot be read")
                }
                try Task.checkCancellation()
                if !isRecording, let found = try await interimRecorder(under: lease, after: failure, begin) {
                    isRecording = true
                    group.addTask { await recorded(by: found.recorder, under: found.fence) }
                }
                if failure != nil { group.addTask { try await workedAgain(work) } }
            }
            throw CancellationError()
        }
    }

    private func waited<Value: Sendable>(for wait: Duration) async throws -> Step<Value> {
        try await dependencies.clock.sleep(for: wait)
        return .waited
    }

    private func workedAgain<Value: Sendable>(
        _ work: @Sendable () async throws -> Value,
    ) async throws -> Step<Value> {
        try await dependencies.clock.sleep(for: Limits.shortestRestart)
        return .worked(await Result(of: work))
    }

    private func recorded<Value: Sendable>(
        by recorder: ChannelRecorder, under fence: Int64,
    ) async -> Step<Value> {
        defer { dependencies.board.set(nil, of: channel.id) }
        unfinished.leave(await recorder.run().unfinished, of: channel.row, under: fence)
        return .recorded
    }

    /// A recorder for the time until the work that began at `begin` succeeds; nil if none can record yet.
    ///
    /// Throws the failure of the work if the state folder does not know where the recording stopped.
    private func interimRecorder(
        under lease: TakenLease?, after failure: (any Error)?, _ begin: SteadyInstant,
    ) async throws -> (recorder: ChannelRecorder, fence: Int64)? {
        let passed = dependencies.clock.steady() - begin
        switch try await resumption(under: lease, isPatient: passed < Limits.headsWait) {
        case .nothing:
            if let failure { throw failure }
            return nil
        case .later: return nil
        case .recorder(let recorder, let fence):
            let reason = failure.map { "\($0)" } ?? "no answer in \(passed.components.seconds) seconds"
            logger.warning("Recording without the catalogue", metadata: ["error": "\(reason)"])
            return (recorder, fence)
        }
    }

    /// A recorder that starts from the state folder and publishes nothing, if one is possible.
    private func resumption(under lease: TakenLease?, isPatient: Bool) async throws -> Resumption {
        let journal = try dependencies.journal.channel(channel.id)
        guard let point = try await journal.resumePoint() else { return .nothing }
        let reanchor = (lease?.lease ?? point.lease).reanchor
        let entered = try await journal.newestEntered(
            count: Limits.resumedFacts * max(1, point.renditions.count)
        ).map(\.1).filter { !$0.isSetAside(by: reanchor) }
        // The oldest waiting facts may be in the catalogue already: the journal has not noted that they are
        // done.
        let waiting = try await journal.replay(limit: Limits.factsReadBack).map(\.1)
            .filter { !$0.isSetAside(by: reanchor) }
        let end = (entered + waiting).end
        if let lease {
            // Another node has recorded since: its segments would be recorded again.
            guard max(end, point.end) >= lease.lease.publishedHead.end else { return .nothing }
        } else if isPatient, point.followsOther ?? true, end < point.end {
            return .later
        }
        let now = Moment(dependencies.clock)
        let state = RecordingState(
            channel: channel, lease: lease?.lease(at: now.steady) ?? point.lease,
            heads: point.heads(entered), newestRun: point.sourceRun, lastRun: point.lastRun, publishes: false,
            unfinished: unfinished.take(of: channel.row, reanchor: reanchor), at: now,
            seed: dependencies.seed())
        return .recorder(recorder(state, journal), fence: state.lease.fence)
    }
}

extension JournalEntry {
    /// Whether it is a segment of a timeline that the channel has left.
    fileprivate func isSetAside(by point: ReanchorPoint?) -> Bool {
        fact.map { point?.setsAside($0) ?? false } ?? false
    }
}
