import Concurrency
import Glibc

/// How long a connection waits for its socket, and what can interrupt it.
struct SocketWait {
    /// The result of a wait.
    enum Outcome {
        case ready
        case expired
        case interrupted
    }

    let pipe: WakePipe
    /// The caller's interruption; nil for what must not be interrupted, such as COMMIT.
    let interruption: Interruption?
    /// The deadline; nil for none.
    let deadline: SteadyInstant?

    /// When a cancel request counts as lost: one that arrives before its statement has no effect.
    private var nextCancelAt: SteadyInstant?

    init(pipe: WakePipe, interruption: Interruption?, deadline: SteadyInstant?) {
        self.pipe = pipe
        self.interruption = interruption
        self.deadline = deadline
    }

    var isInterrupted: Bool { interruption?.isRequested ?? false }

    var isOver: Bool { deadline.map { SteadyInstant.now >= $0 } ?? false }

    /// Records that a cancel request was sent.
    mutating func cancelWasSent() {
        nextCancelAt = SteadyInstant.now + Limits.cancelPause
    }

    /// Blocks the thread until the socket is ready.
    func untilReady(for events: Int32, on socket: Int32) -> Outcome {
        while true {
            if isInterrupted && nextCancelAt.map({ SteadyInstant.now >= $0 }) ?? true {
                return .interrupted
            }
            var descriptors = [
                pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0),
                pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&descriptors, 2, remainingMilliseconds)
            if ready > 0 && descriptors[1].revents != 0 { pipe.drain() }
            if ready > 0 && descriptors[0].revents != 0 { return .ready }
            if let deadline, SteadyInstant.now >= deadline { return .expired }
        }
    }

    /// The timeout for `poll`; −1 is infinite.
    ///
    /// One more than the whole milliseconds, which avoids a busy loop at the end.
    private var remainingMilliseconds: Int32 {
        guard let next = [deadline, nextCancelAt].compactMap({ $0 }).min() else { return -1 }
        let milliseconds = (next - SteadyInstant.now).wholeMilliseconds
        return max(0, milliseconds) &+ (milliseconds == .max ? 0 : 1)
    }
}
