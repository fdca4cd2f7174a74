import Glibc

/// The owner of a thread.
///
/// All signals are blocked on it: the process's signals go to other threads, and a peer that closes while
/// OpenSSL writes causes an error code instead of SIGPIPE.
struct LoopThread: ~Copyable {
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    static func start(_ run: @escaping @Sendable () -> Void) throws(HTTPClientError) -> LoopThread {
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run))
        let code = unsafe pthread_create(&thread, nil, { unsafe Self.main($0) }, body.toOpaque())
        guard code == 0 else {
            unsafe body.release()
            throw .unavailable("thread")
        }
        return LoopThread(thread: thread)
    }

    /// Receives the body from `start` and runs it.
    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
        body.run()
        return nil
    }

    /// Waits until the thread has ended.
    consuming func join() {
        pthread_join(thread, nil)
        discard self
    }

    deinit {
        pthread_detach(thread)
    }
}

extension LoopThread {
    /// Pauses the calling thread.
    static func pause(milliseconds: Int) {
        guard milliseconds > 0 else { return }
        usleep(UInt32(clamping: milliseconds * 1_000))
    }
}
