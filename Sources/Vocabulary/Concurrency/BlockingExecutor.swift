import Dispatch
import Synchronization

/// Runs actors on a serial queue whose thread may block: for files and libraries that wait, which must never
/// hold a thread of Swift's cooperative pool.
///
/// A serial queue without a target gets a thread beside the cooperative ones whenever it has work. As the
/// preferred executor of a task it also runs what the task does between calls of such an actor, which saves
/// a change of threads before and after each call.
package final class BlockingExecutor: SerialExecutor, TaskExecutor {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let actors = unsafe asUnownedSerialExecutor()
        let tasks = unsafe asUnownedTaskExecutor()
        queue.async { unsafe job.runSynchronously(isolatedTo: actors, taskExecutor: tasks) }
    }

    /// Runs work whose end no task waits for, after what was given before.
    package func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}

/// A few blocking executors, given out in turn.
///
/// The work that waits in their queues is bounded by their users: one call for each actor that runs on them.
package final class BlockingExecutors: Sendable {
    private let executors: [BlockingExecutor]
    private let turn = Mutex(0)

    /// Makes `count` executors, at least one.
    package init(label: String, count: Int) {
        executors = (0..<max(count, 1)).map { BlockingExecutor(label: "\(label)-\($0)") }
    }

    package func next() -> BlockingExecutor {
        turn.withLock { turn in
            turn = (turn + 1) % executors.count
            return executors[turn]
        }
    }
}
