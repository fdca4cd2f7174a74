import Synchronization

/// Work that is done once for all who ask for the same while it runs.
///
/// It goes on when the one who asked first leaves, and is cancelled when all have left.
package final class SharedWork<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    private struct Running {
        var number: Int
        var task: Task<Result<Value, Failure>, Never>
        var askers = 1
    }

    private struct State {
        var running: [Key: Running] = [:]
        var begun = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The outcome of the work for a key that runs, or of `work`, which then begins.
    ///
    /// The work is shared until it has returned: what it stores elsewhere, as in a cache, is there by then.
    package func value(
        of key: Key, _ work: @escaping @Sendable () async throws(Failure) -> Value,
    ) async throws(Failure) -> Value {
        let (number, task) = joined(key, work)
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(key, number)
        }
        return try outcome.get()
    }

    /// How many wait for the work for a key.
    func askers(of key: Key) -> Int {
        state.withLock { $0.running[key]?.askers ?? 0 }
    }

    private func joined(
        _ key: Key, _ work: @escaping @Sendable () async throws(Failure) -> Value,
    ) -> (number: Int, task: Task<Result<Value, Failure>, Never>) {
        state.withLock { state in
            if let running = state.running[key] {
                state.running[key]?.askers += 1
                return (running.number, running.task)
            }
            state.begun += 1
            let number = state.begun
            let task = Task {
                let outcome = await Result(of: work)
                end(key, number)
                return outcome
            }
            state.running[key] = Running(number: number, task: task)
            return (number, task)
        }
    }

    private func end(_ key: Key, _ number: Int) {
        state.withLock { state in
            if state.running[key]?.number == number { state.running[key] = nil }
        }
    }

    private func leave(_ key: Key, _ number: Int) {
        state.withLock { state in
            guard let running = state.running[key], running.number == number else { return }
            state.running[key]?.askers -= 1
            guard running.askers == 1 else { return }
            state.running[key] = nil
            running.task.cancel()
        }
    }
}
