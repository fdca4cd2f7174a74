import Concurrency

/// Runs calls to the file system on threads that may block.
struct FileWork: Sendable {
    private let executors = BlockingExecutors(label: "backcast.downloads", count: Limits.writers)

    /// Runs work to its end, also when the calling task is cancelled.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        let result: Result<Value, DownloadError> = await withCheckedContinuation { continuation in
            executors.next().run { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
