import Dispatch

/// Runs actors on a serial queue, whose thread may block: never one of Swift's cooperative pool.
///
/// A serial queue without a target gets a thread beside the cooperative ones whenever it has work.
final class WriterThread: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedSerialExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }
}
