import Dispatch
import Synchronization

/// Runs actors on a serial queue, whose thread may block: never one of Swift's cooperative pool.
///
/// A serial queue without a target gets a thread beside the cooperative ones whenever it has work.
package final class WriterThread: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedSerialExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }

    /// Runs what nobody waits for.
    package func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}

/// A few threads, dealt out in turn.
///
/// What waits in their queues is bounded by whoever takes them: one call for each actor that runs on them.
package final class WriterThreads: Sendable {
    private let threads: [WriterThread]
    private let turn = Mutex(0)

    /// At least one thread.
    package init(label: String, count: Int) {
        threads = (0..<max(count, 1)).map { WriterThread(label: "\(label)-\($0)") }
    }

    package func next() -> WriterThread {
        turn.withLock { turn in
            turn = (turn + 1) % threads.count
            return threads[turn]
        }
    }
}
