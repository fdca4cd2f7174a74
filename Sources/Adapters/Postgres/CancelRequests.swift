import Concurrency
import Dispatch
import Synchronization

/// The requests to end a statement of one connection: each on a thread of its own, and one at a time.
///
/// A server that hangs accepts such a request but does not answer, and libpq waits without a limit. The
/// connection still ends at its own deadline.
final class CancelRequests: Sendable {
    private struct State {
        var isRunning = false
        /// Whether a statement has ended as cancelled since the running request began.
        var hasEndedStatement = false
        /// Whether the server took a request after which no statement has ended as cancelled.
        var isPending = false
    }

    private let slots: CancelSlots
    private let state = Mutex(State())
    private let running = DispatchGroup()

    init(_ slots: CancelSlots) {
        self.slots = slots
    }

    /// Starts a request, unless one is running or the process has too many.
    func send(over connection: OpaquePointer) {
        guard begin() else { return }
        guard let handle = unsafe CancelHandle(of: connection) else { return end(isTaken: false) }
        BlockingExecutor(label: "postgres-cancel").run { [self] in end(isTaken: handle.send()) }
    }

    /// A statement has ended as cancelled; whether that may be the effect of a request.
    func statementEnded() -> Bool {
        state.withLock { state in
            guard state.isRunning || state.isPending else { return false }
            state.isPending = false
            state.hasEndedStatement = state.isRunning
            return true
        }
    }

    /// Whether a request could end the next statement.
    ///
    /// Waits a moment for one that seems to have ended a statement: the server sends the statement's error
    /// before it closes the connection of the request.
    func mayEndNext() -> Bool {
        let isEnding = state.withLock { $0.isRunning && $0.hasEndedStatement }
        if isEnding {
            _ = running.wait(timeout: .now() + .milliseconds(Int(Limits.cancelEnd.wholeMilliseconds)))
        }
        return state.withLock { $0.isRunning || $0.isPending }
    }
}

extension CancelRequests {
    private func begin() -> Bool {
        let mayBegin = state.withLock { state in
            guard !state.isRunning, slots.take() else { return false }
            (state.isRunning, state.hasEndedStatement) = (true, false)
            return true
        }
        if mayBegin { running.enter() }
        return mayBegin
    }

    private func end(isTaken: Bool) {
        state.withLock { state in
            if isTaken, !state.hasEndedStatement { state.isPending = true }
            state.isRunning = false
        }
        slots.release()
        running.leave()
    }
}
