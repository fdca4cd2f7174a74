import CMicrohttpd
import HTTP
import Synchronization

// How a connection waits without holding a server thread. The same dance serves answers made later and pieces of a
// streamed body; `resume` below is whoever takes the exchange out of the table first.
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
// Suspending comes before entering, so nobody resumes a connection that is not yet suspended. What is stored is stored
// before resuming, so the next call finds it. A task that comes second finds the table without the exchange: its
// result is dropped. An answer that is ready before the exchange is in the table is only stored: the server's thread,
// which is on its way there, finds it.
extension Exchange {
    /// Lets a task make the answer; the connection is suspended if that has to wait for anything.
    func answerLater(_ work: @escaping @Sendable () async -> HTTPResponse) -> MHD_Result {
        guard core.admitLaterAnswer() else { return send(ServerAnswers.busy) }
        state.withLock { $0.stage = .making }
        let task = Task.immediate {
            let response = await work()
            core.laterAnswerEnded()
            if isLeftToServerThread(response) { return }
            core.suspended.resume(self) {
                self.store(response)
                return nil
            }
        }
        if let response = madeAnswer() { return send(response) }
        if suspend() {
            keep(task)
            parked()
        } else {
            task.cancel()
        }
        return .YES
    }

    /// Keeps an answer that is ready while the server's thread has not yet parked the exchange; false when it has.
    private func isLeftToServerThread(_ response: HTTPResponse) -> Bool {
        state.withLock { state in
            guard case .making = state.stage else { return false }
            state.stage = .answered(response)
            return true
        }
    }

    /// The answer, if it is ready.
    private func madeAnswer() -> HTTPResponse? {
        state.withLock { state in
            guard case .answered(let response) = state.stage else { return nil }
            return response
        }
    }

    /// The exchange is in the table: from now on the task resumes it; it has perhaps made its answer by now.
    private func parked() {
        let isAnswered = state.withLock { state in
            if case .answered = state.stage { return true }
            if case .making = state.stage { state.stage = .waiting }
            return false
        }
        if isAnswered { core.suspended.resume(self) { nil } }
    }

    /// Suspends the connection until `suspended.resume`.
    ///
    /// False when the server is stopping: then it is resumed
    /// already, and the next call finds the exchange abandoned.
    func suspend() -> Bool {
        connection.suspend()
        let deadline = monotonicNanoseconds() + core.limits.answer.nanoseconds
        if core.suspended.enter(self, deadline: deadline) { return true }
        abandon()?.cancel()
        connection.resume()
        return false
    }

    /// Keeps the task that is waited for, to cancel it when nobody waits any more.
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

    /// The answer took too long: the client is told so, or a body that has begun is cut.
    ///
    /// Returns the task that is now for nothing.
    func deadlinePassed() -> Task<Void, Never>? {
        state.withLock { state in
            switch state.stage {
            case .making, .waiting: state.stage = .answered(ServerAnswers.late)
            case .answered: break
            default: state.isAbandoned = true
            }
            return state.work.take()
        }
    }

    /// Nobody waits for the rest: the client left or the server stops.
    ///
    /// Returns the task that is now for nothing.
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
