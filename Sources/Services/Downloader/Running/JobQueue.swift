import Synchronization

/// A queue of jobs; each of several tasks takes the next job when it is done with one.
final class JobQueue<Job: Sendable>: Sendable {
    private let jobs: Mutex<ArraySlice<Job>>

    init(_ jobs: [Job]) {
        self.jobs = Mutex(jobs[...])
    }

    func next() -> Job? { jobs.withLock { $0.popFirst() } }

    /// Carries out all work with so many tasks at once; the first error ends the others.
    static func carryOut(
        _ jobs: [Job], at once: Int, _ body: @escaping @Sendable (Job) async throws(DownloadError) -> Void,
    ) async throws(DownloadError) {
        let queue = JobQueue(jobs)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<min(max(once, 1), jobs.count) {
                    group.addTask {
                        while let job = queue.next() {
                            if Task.isCancelled { throw DownloadError.cancelled }
                            try await body(job)
                        }
                    }
                }
                try await group.waitForAll()
            }
        } catch let error as DownloadError {
            throw error
        } catch {
            throw .cancelled
        }
    }
}
