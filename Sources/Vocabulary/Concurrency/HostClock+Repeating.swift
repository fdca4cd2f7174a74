extension HostClock {
    /// Runs a round at once and again after each pause, until the task is cancelled.
    ///
    /// An error of a round goes to `onError`, unless the task has been cancelled, and the next round comes
    /// after the same pause. The pause is at least `restFactor` times as long as the round took.
    nonisolated(nonsending) package func every(
        _ pause: Duration, restFactor: Int = 0, _ round: () async throws -> Void,
        onError report: (any Error) -> Void,
    ) async {
        while !Task.isCancelled {
            let begin = steady()
            do {
                try await round()
            } catch {
                if !Task.isCancelled { report(error) }
            }
            try? await sleep(for: max(pause, (steady() - begin) * restFactor))
        }
    }
}
