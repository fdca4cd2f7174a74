import Glibc

/// A thread that a call may hold for long.
struct ProgramThread: Sendable {
    /// Bytes of its stack; nil for the system's usual ones.
    var stackByteCount: Int?

    fileprivate final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts the thread; throws if the system has no memory or no thread number left.
    func start(_ work: @escaping @Sendable () -> Void) throws(ProgramFailure) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackByteCount { unsafe pthread_attr_setstacksize(&attributes, stackByteCount) }
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
        let error = unsafe pthread_create(&thread, &attributes, runWork, context)
        guard error == 0 else {
            unsafe Unmanaged<Work>.fromOpaque(context).release()
            throw .unstartable(systemMessage(error))
        }
    }
}

private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let work = unsafe Unmanaged<ProgramThread.Work>.fromOpaque(context).takeRetainedValue()
    work.run()
    return nil
}
