extension HostClock {
    /// Runs a round at once and again after each pause, until the task is cancelled.
    ///
    /// An error of a round goes to `onError`, unless the task has been cancelled, and the next round comes
    /// after the same pause.
    nonisolated(nonsending) package func every(
        _ pause: Duration, _ round: () async throws -> Void, onError report: (any Error) -> Void,
    ) async {
        while !Task.isCancelled {
            do {
                try await round()
            } catch {
                if !Task.isCancelled { report(error) }
            }
            try? await sleep(for: pause)
        }
    }
}
