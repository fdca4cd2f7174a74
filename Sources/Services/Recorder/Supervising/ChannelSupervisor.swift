/// Who works on which channel: one task each, which ends and is replaced when the channel changes.
///
/// A task that takes long to end holds its successor only, never another channel.
struct ChannelSupervisor {
    private struct Worker {
        var version: Int64
        var task: Task<Void, Never>
    }

    private var workers: [Int32: Worker] = [:]

    /// Whether no channel has work yet.
    var isIdle: Bool { workers.isEmpty }

    /// Sees to it that a channel's work is that of its present version; returns at once.
    mutating func reconcile(_ channel: Int32, version: Int64, _ work: @escaping @Sendable () async -> Void) {
        let former = workers[channel]
        guard former?.version != version else { return }
        former?.task.cancel()
        workers[channel] = Worker(
            version: version,
            task: Task {
                await former?.task.value
                if !Task.isCancelled { await work() }
            })
    }

    /// Ends all work at once and waits for its end.
    mutating func stop() async {
        let tasks = workers.values.map(\.task)
        workers = [:]
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
