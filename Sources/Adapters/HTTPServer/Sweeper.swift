import Glibc
import Synchronization

/// A thread that checks for deadlines and disconnected clients at regular intervals until it is stopped.
///
/// A thread and not a task, because deadlines must also be kept when tasks occupy all threads of the runtime.
@safe struct Sweeper: ~Copyable {
    private let thread: pthread_t
    /// The write end of a pipe; closing it ends the thread.
    private let stopDescriptor: Int32

    /// The state of the thread, which releases it.
    fileprivate final class Round: Sendable {
        let core: ServerCore
        let descriptor: Int32
        let milliseconds: Int32

        init(_ core: ServerCore, descriptor: Int32) {
            self.core = core
            self.descriptor = descriptor
            self.milliseconds = Int32(clamping: max(core.limits.sweep.nanoseconds / 1_000_000, 1))
        }

        deinit { close(descriptor) }

        func run() {
            var wait = pollfd(fd: descriptor, events: 0, revents: 0)
            while unsafe poll(&wait, 1, milliseconds) <= 0 { core.sweep() }
        }
    }

    private init(thread: pthread_t, stopDescriptor: Int32) {
        self.thread = thread
        self.stopDescriptor = stopDescriptor
    }

    deinit {
        close(stopDescriptor)
        pthread_join(thread, nil)
    }

    static func start(_ core: ServerCore) throws(HTTPServerError) -> Sweeper {
        guard let ends = pipeEnds() else { throw .cannotStart }
        guard let thread = startThread(Round(core, descriptor: ends.reading)) else {
            close(ends.writing)
            throw .cannotStart
        }
        return Sweeper(thread: thread, stopDescriptor: ends.writing)
    }

    private static func pipeEnds() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func startThread(_ round: Round) -> pthread_t? {
        let context = unsafe Unmanaged.passRetained(round).toOpaque()
        var thread = pthread_t()
        if unsafe pthread_create(&thread, nil, runRound, context) == 0 { return thread }
        unsafe Unmanaged<Round>.fromOpaque(context).release()
        return nil
    }
}

private func runRound(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context {
        unsafe Unmanaged<Sweeper.Round>.fromOpaque(context).takeRetainedValue().run()
    }
    return nil
}
