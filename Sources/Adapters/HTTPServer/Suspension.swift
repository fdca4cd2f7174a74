import CMicrohttpd
import HTTP
import Synchronization

// How a connection waits without occupying a server thread. Answers made later and pieces of a streamed body
// use the same sequence; the first to take the exchange out of the table calls `resume` below.
//
//      server thread                        task                          sweeper, stop
//      requestArrived or read
//        [an answer: work() as far as it goes without waiting; if that was all, it is queued at once]
//        MHD_suspend_connection
//        suspended.enter ──────────────────────────────────────────────▶ deadline, client gone, server stops
//        [a piece: start the task] ─▶ work() or next(limit:)                 │
//        return YES or 0                │                                    │
//                                     store the answer or the piece          │ abandon, or store a 503
//                                     suspended.resume ◀── one of them ────▶ suspended.resume
//        ◀───────────────────────────── MHD_resume_connection ───────────────┘
//      requestArrived or read again
//        queue the answer, copy the piece, or cut the connection
//
// The connection is suspended before it enters the table, so it is never resumed before it is suspended. A
// result is stored before resuming, so the next call finds it. A task that comes second does not find the
// exchange in the table: its result is dropped. An answer that is ready before the exchange is in the table
// is only stored, and the server's thread finds it when it enters the exchange.
extension Exchange {
    /// Lets a task make the answer; suspends the connection if the task has to wait.
    func respondLater(
        _ work: @escaping @Sendable () async -> HTTPResponse, _ slots: ResponseSlots,
        on executor: (any TaskExecutor)?,
    ) -> MHD_Result {
        guard slots.take() else { return send(ServerResponses.busy) }
        state.withLock { $0.stage = .making }
        let task = Task.immediate(executorPreference: executor) {
            let response = await work()
            slots.release()
            if isLeftToServerThread(response) { return }
            core.suspended.resume(self) {
                self.store(response)
                return nil
            }
        }
        if let response = finishedResponse() { return send(response) }
        if suspend() {
            keep(task)
            markSuspended()
        } else {
            task.cancel()
        }
        return .YES
    }

    /// Stores an answer while the server's thread has not yet suspended the exchange; false when it has.
    private func isLeftToServerThread(_ response: HTTPResponse) -> Bool {
        state.withLock { state in
            guard case .making = state.stage else { return false }
            state.stage = .answered(response)
            return true
        }
    }

    /// The answer, if it is ready.
    private func finishedResponse() -> HTTPResponse? {
        state.withLock { state in
            guard case .answered(let response) = state.stage else { return nil }
            return response
        }
    }

    /// The exchange is in the table: from now on the task resumes it, unless its answer is ready already.
    private func markSuspended() {
        let isAnswered = state.withLock { state in
            if case .answered = state.stage { return true }
            if case .making = state.stage { state.stage = .waiting }
            return false
        }
        if isAnswered { core.suspended.resume(self) { nil } }
    }

    /// Suspends the connection until `suspended.resume`.
    ///
    /// False when the server is stopping: the connection is then already resumed, and the next call finds the
    /// exchange abandoned.
    func suspend() -> Bool {
        connection.suspend()
        let deadline = monotonicNanoseconds() + core.limits.answer.nanoseconds
        if core.suspended.enter(self, deadline: deadline) { return true }
        abandon()?.cancel()
        connection.resume()
        return false
    }

    /// Stores the task that makes the answer, to cancel it when the exchange is given up.
    func keep(_ work: Task<Void, Never>) {
        let isWanted = state.withLock { state in
            if state.isAbandoned { return false }
            switch state.stage {
            case .making, .waiting, .sending:
                state.work = work
                return true
            default: return false
            }
        }
        if !isWanted { work.cancel() }
    }

    /// The answer took too long: the client gets 503, or a body that has begun is aborted.
    ///
    /// Returns the task, which is no longer needed.
    func deadlinePassed() -> Task<Void, Never>? {
        state.withLock { state in
            switch state.stage {
            case .making, .waiting: state.stage = .answered(ServerResponses.late)
            case .answered: break
            default: state.isAbandoned = true
            }
            return state.work.take()
        }
    }

    /// Gives up the exchange: the client disconnected or the server stops.
    ///
    /// Returns the task, which is no longer needed.
    func abandon() -> Task<Void, Never>? {
        state.withLock { state in
            state.isAbandoned = true
            return state.work.take()
        }
    }

    private func store(_ response: HTTPResponse) {
        state.withLock { state in
            state.stage = .answered(response)
            state.work = nil
        }
    }
}
