import Glibc

/// How long and how stubbornly a connection waits for its socket.
struct Patience {
    /// How a wait ended.
    enum Outcome {
        case ready
        case expired
        case interrupted
    }

    let pipe: WakePipe
    /// The caller's wish to stop; nil for what must not be stopped, such as COMMIT.
    let interruption: Interruption?
    /// When to give up; nil for never.
    let deadline: ContinuousClock.Instant?

    var isInterrupted: Bool { interruption?.isRequested ?? false }

    /// Blocks the thread until the socket is ready.
    ///
    /// An interruption already acted on is not `heeded` again.
    func wait(for events: Int32, on socket: Int32, heeding: Bool = true) -> Outcome {
        while true {
            if heeding && isInterrupted { return .interrupted }
            var descriptors = [
                pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0),
                pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&descriptors, 2, remainingMilliseconds)
            if ready > 0 && descriptors[1].revents != 0 { pipe.drain() }
            if ready > 0 && descriptors[0].revents != 0 { return .ready }
            if let deadline, ContinuousClock.now >= deadline { return .expired }
        }
    }

    /// What `poll` takes: −1 is for ever.
    ///
    /// One more than the whole milliseconds, so as not to spin at the end.
    private var remainingMilliseconds: Int32 {
        guard let deadline else { return -1 }
        let milliseconds = ContinuousClock.now.duration(to: deadline).wholeMilliseconds
        return max(0, milliseconds.addingReportingOverflow(1).overflow ? .max : milliseconds + 1)
    }
}
