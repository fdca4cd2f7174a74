import CMicrohttpd
import HTTP
import Synchronization

// How a connection waits without holding a server thread. The same dance serves answers made later and pieces of a
// streamed body; `resume` below is whoever takes the exchange out of the table first.
//
//      server thread                        task                          sweeper, stop
//      requestArrived or read
//        MHD_suspend_connection
//        suspended.enter ──────────────────────────────────────────────▶ deadline, client gone, server stops
//        start the task ────────────▶ work() or next(limit:)                 │
//        return YES or 0                │                                    │
//                                     store the answer or the piece          │ abandon, or store a 503
//                                     suspended.resume ◀── one of them ────▶ suspended.resume
//        ◀───────────────────────────── MHD_resume_connection ───────────────┘
//      requestArrived or read again
//        queue the answer, copy the piece, or cut the connection
//
// Suspending comes before entering, so nobody resumes a connection that is not yet suspended. What is stored is stored
// before resuming, so the next call finds it. A task that comes second finds the table without the exchange: its
// result is dropped.
extension Exchange {
    /// Suspends the connection and lets a task make the answer.
    func answerLater(_ work: @escaping @Sendable () async -> HTTPResponse) -> MHD_Result {
        guard core.admitLaterAnswer() else { return send(Problem.busy) }
        state.withLock { $0.stage = .waiting }
        guard suspend() else {
            core.laterAnswerEnded()
            return .YES
        }
        keep(
            Task {
                let response = await work()
                core.laterAnswerEnded()
                core.suspended.resume(self) {
                    self.store(response)
                    return nil
                }
            })
        return .YES
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
            case .waiting, .sending:
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
            if case .waiting = state.stage {
                state.stage = .answered(Problem.late)
            } else {
                state.isAbandoned = true
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
