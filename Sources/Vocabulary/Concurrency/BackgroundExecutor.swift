import Dispatch
import Glibc
import Synchronization

/// Runs tasks on a few threads of a lower priority, so that they delay neither the threads that answer at
/// once nor other programs.
///
/// Jobs begin in the order in which they came. A thread starts when there is work for it, and ends when it
/// had none for a while.
package final class BackgroundExecutor: TaskExecutor {
    fileprivate struct State {
        /// Jobs that wait, and how many of them have been taken.
        var jobs: [UnownedJob] = []
        var taken = 0
        var threads = 0
        /// Threads that wait for work and have not been woken.
        var idle = 0
    }

    /// What is added to the niceness of the process: a third of the share of a thread without it.
    fileprivate static let niceness: Int32 = 5

    private enum Step {
        case wake, start, nothing
    }

    private let limit: Int
    private let idle: DispatchTimeInterval
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    /// Runs at most `threads` jobs at a time, at least one; a thread without work ends after `idle`.
    package init(threads: Int, idle: Duration = .seconds(10)) {
        limit = max(threads, 1)
        self.idle = .milliseconds(Int(idle / .milliseconds(1)))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let step = state.withLock { state -> Step in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            guard state.threads < limit else { return .nothing }
            state.threads += 1
            return .start
        }
        switch step {
        case .wake: work.signal()
        case .start: start()
        case .nothing: break
        }
    }

    /// Starts a thread; without memory for one its work is done on a thread of the system's pool.
    private func start() {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        if unsafe pthread_create(&thread, nil, runBackground, context) == 0 {
            pthread_detach(thread)
        } else {
            unsafe Unmanaged<BackgroundExecutor>.fromOpaque(context).release()
            DispatchQueue.global().async { self.run() }
        }
    }

    /// What a thread does.
    fileprivate func run() {
        while let job = next() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The next job, waited for; nil when the thread ends.
    private func next() -> UnownedJob? {
        while true {
            if let job = state.withLock({ $0.take() }) { return job }
            if work.wait(timeout: .now() + idle) == .success { continue }
            let isOver = state.withLock { state in
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            if isOver { return nil }
            // A job has come just now, and its signal is on the way.
            work.wait()
        }
    }
}

extension BackgroundExecutor.State {
    /// The oldest job; without one the thread counts as idle.
    fileprivate mutating func take() -> UnownedJob? {
        guard taken < jobs.count else {
            jobs.removeAll(keepingCapacity: true)
            (taken, idle) = (0, idle + 1)
            return nil
        }
        let job = jobs[taken]
        taken += 1
        if taken > 64, taken > jobs.count / 2 {
            jobs.removeFirst(taken)
            taken = 0
        }
        return job
    }
}

/// The thread lowers its own priority; signals of the process go to other threads.
private func runBackground(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let executor = unsafe Unmanaged<BackgroundExecutor>.fromOpaque(context).takeRetainedValue()
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
    // To the kernel zero is the calling thread.
    let thread = __priority_which_t(PRIO_PROCESS.rawValue)
    setpriority(thread, 0, getpriority(thread, 0) + BackgroundExecutor.niceness)
    executor.run()
    return nil
}
