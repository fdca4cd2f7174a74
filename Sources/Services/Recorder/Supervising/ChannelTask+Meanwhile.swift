import Catalogue
import Concurrency
import Journal
import Logging
import Monitoring
import Timeline

/// What a channel's task does with the catalogue does not keep it from recording: the catalogue may be away,
/// or wait for a lock as long as a statement may take.
extension ChannelTask {
    private enum Step<Value: Sendable>: Sendable {
        case worked(Result<Value, any Error>)
        /// The work takes long.
        case waited
        /// The recording beside the work has ended by itself.
        case recorded
    }

    /// Does work that needs the catalogue.
    ///
    /// If it fails or takes long, the channel is recorded from what the state folder knows until the work,
    /// which is done again and again, succeeds; all facts stay in the journal.
    ///
    /// Throws what the work throws if the state folder does not know where the recording stopped.
    ///
    /// - Returns: what the work gave, and whether the channel was recorded meanwhile
    func whileRecording<Value: Sendable>(
        under lease: TakenLease?, _ work: @escaping @Sendable () async throws -> Value,
    ) async throws -> (value: Value, hasRecorded: Bool) {
        let patience = lease == nil ? Limits.catalogueWait : Limits.headsWait
        return try await withThrowingTaskGroup(of: Step<Value>.self) { group in
            defer { group.cancelAll() }
            group.addTask { .worked(await Result(of: work)) }
            group.addTask {
                try await parts.clock.sleep(for: patience)
                return .waited
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
                if !isRecording {
                    guard let recorder = try await resumedRecorder(under: lease) else {
                        if let failure { throw failure }
                        continue
                    }
                    let reason = failure.map { "\($0)" } ?? "no answer in \(patience)"
                    logger.warning("Recording without the catalogue", metadata: ["error": "\(reason)"])
                    isRecording = true
                    group.addTask {
                        defer { parts.board.set(nil, of: channel.id) }
                        unfinished.leave(await recorder.run().unfinished, of: channel.row)
                        return .recorded
                    }
                }
                if failure != nil {
                    group.addTask {
                        try await parts.clock.sleep(for: Limits.shortestRestart)
                        return .worked(await Result(of: work))
                    }
                }
            }
            throw CancellationError()
        }
    }

    /// What records from what the state folder knows, and publishes nothing; nil if it does not know where
    /// the recording stopped.
    private func resumedRecorder(under lease: TakenLease?) async throws -> ChannelRecorder? {
        let journal = try parts.journal.channel(channel.id)
        guard let point = try await journal.resumePoint() else { return nil }
        let reanchor = (lease?.lease ?? point.lease).reanchor
        let entered = try await journal.newestEntered(
            count: Limits.resumedFacts * max(1, point.renditions.count)
        ).map(\.1).filter { !$0.isSetAside(by: reanchor) }
        if let lease {
            // What the catalogue has taken and the journal has not noted is the oldest that waits.
            let waiting = try await journal.replay(limit: Limits.factsReadBack).map(\.1)
                .filter { !$0.isSetAside(by: reanchor) }
            let ends = (entered + waiting).compactMap(\.end) + [point.end]
            // Another node has recorded since: its segments would be recorded again.
            guard ends.contains(where: { $0 >= lease.lease.publishedHead.end }) else { return nil }
        }
        let now = Moment(parts.clock)
        let state = RecordingState(
            channel: channel, lease: lease?.lease(at: now.steady) ?? point.lease,
            heads: point.heads(entered), newestRun: point.sourceRun, publishes: false,
            unfinished: unfinished.take(of: channel.row), at: now, seed: parts.seed())
        return recorder(state, journal)
    }
}

extension JournalEntry {
    /// Whether it is a segment of a time line that the channel has left.
    fileprivate func isSetAside(by point: ReanchorPoint?) -> Bool {
        fact.map { point?.setsAside($0) ?? false } ?? false
    }

    /// The end of what it says of the time line.
    fileprivate var end: Instant? {
        switch self {
        case .segment(let fact): fact.end
        case .keyPending(let segment): segment.end
        case .loss(let loss): loss.window.end
        case .sourceRun, .marker, .rendition: nil
        }
    }
}
