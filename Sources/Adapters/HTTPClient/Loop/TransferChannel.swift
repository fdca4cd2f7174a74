import Concurrency
import Synchronization

/// The shared state of the loop's thread and the reader of one transfer.
final class TransferChannel: Sendable {
    let id: TransferID
    private let mailbox: LoopMailbox
    private let guarded: Mutex<Guarded>

    private struct Guarded {
        var state: TransferState
        var waiter: CheckedContinuation<Void, Never>?
    }

    init(id: TransferID, mailbox: LoopMailbox, pausesAt: Int, chunkDelay: Duration?) {
        self.id = id
        self.mailbox = mailbox
        guarded = Mutex(Guarded(state: TransferState(pausesAt: pausesAt, chunkDelay: chunkDelay)))
    }
}

/// The loop's side, which never waits.
extension TransferChannel {
    func headArrived(_ head: TransferHead) {
        update { $0.headArrived(head) }
    }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
        update { unsafe $0.bodyArrived(bytes) }
    }

    /// Delivers an incomplete chunk that has waited long enough; returns when the rest is due.
    func deliverLate(at now: SteadyInstant) -> SteadyInstant? {
        update { $0.deliverLate(at: now) }
    }

    func ended(_ end: TransferEnd) {
        update { $0.ended(end) }
    }

    /// Changes the state and, after unlocking, wakes the reader when there is something to read.
    private func update<Value>(_ change: (inout TransferState) -> Value) -> Value {
        let (value, waiter) = guarded.withLock { guarded in
            let before = guarded.state.changes
            let value = change(&guarded.state)
            guard guarded.state.changes != before else {
                return (value, CheckedContinuation<Void, Never>?.none)
            }
            return (value, guarded.waiter.take())
        }
        waiter?.resume()
        return value
    }
}

/// The reader's side: one reader at a time.
extension TransferChannel {
    func head() async throws(TransferError) -> TransferHead {
        try await answer { $0.headAnswer }
    }

    func nextChunk() async throws(TransferError) -> [UInt8]? {
        defer { resumeIfRoom() }
        return try await answer { $0.removeChunk() }
    }

    /// When the body was complete; nil before.
    var endedAt: SteadyInstant? {
        guard case .whole(let instant) = guarded.withLock({ $0.state.end }) else { return nil }
        return instant
    }

    /// Cancels the transfer unless it has ended.
    ///
    /// Any thread, any number of times.
    func cancel() {
        guard guarded.withLock({ $0.state.end == nil }) else { return }
        ended(.failed(.cancelled))
        mailbox.post(.cancel(id))
    }

    private func resumeIfRoom() {
        guard guarded.withLock({ $0.state.takeResume() }) else { return }
        mailbox.post(.resume(id))
    }

    /// Waits until the state has an answer; cancelling the task cancels the transfer.
    private func answer<Value: Sendable>(
        _ question: (inout TransferState) -> Result<Value, TransferError>?,
    ) async throws(TransferError) -> Value {
        while true {
            let (answer, seen) = guarded.withLock { (question(&$0.state), $0.state.changes) }
            if let answer { return try answer.get() }
            await change(since: seen)
        }
    }

    private func change(since seen: UInt) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
                let isStale = guarded.withLock { guarded in
                    if guarded.state.changes == seen { guarded.waiter = waiter }
                    return guarded.state.changes != seen
                }
                if isStale { waiter.resume() }
            }
        } onCancel: {
            cancel()
        }
    }
}
