import Dispatch
import Synchronization

/// Runs an actor on a serial queue of its own, whose thread may block: never one of Swift's cooperative pool.
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

    /// Runs what nobody waits for.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}

/// The threads that drafts are dealt out to; what waits in their queues is at most one call for each open draft.
final class WriterThreads: Sendable {
    private let threads: [WriterThread]
    private let turn = Mutex(0)

    init() {
        threads = (0..<Limits.writerThreads).map { WriterThread(label: "segment-writer-\($0)") }
    }

    func next() -> WriterThread {
        let turn = turn.withLock { turn in
            turn = (turn + 1) % Limits.writerThreads
            return turn
        }
        return threads[turn]
    }
}
