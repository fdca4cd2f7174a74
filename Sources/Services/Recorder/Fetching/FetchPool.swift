/// The downloads of one rendition: a few run at once, in the order they were asked for, the others wait their turn.
/// They are tasks of their own, because they may finish after polling has been told to stop.
actor FetchPool {
    typealias Work = @Sendable () async -> Void

    private var waiting: [Work] = []
    private var running: [Int: Task<Void, Never>] = [:]
    private var nextID = 0
    private var idle: [CheckedContinuation<Void, Never>] = []
    private let parallel: Int

    init(parallel: Int) {
        self.parallel = parallel
    }

    /// Takes work on; false when too much waits already.
    func add(_ work: @escaping Work) -> Bool {
        guard waiting.count < Limits.waitingSegments else { return false }
        waiting.append(work)
        startWaiting()
        return true
    }

    /// Drops what waits, lets what runs finish within the time given, then cancels it.
    func drain(within time: Duration) async {
        waiting.removeAll()
        let deadline = Task { [weak self] in
            try await Task.sleep(for: time)
            await self?.cancelRunning()
        }
        if !running.isEmpty { await withCheckedContinuation { idle.append($0) } }
        deadline.cancel()
    }

    private func startWaiting() {
        while running.count < parallel, !waiting.isEmpty {
            let work = waiting.removeFirst()
            let id = nextID
            nextID += 1
            running[id] = Task { [weak self] in
                await work()
                await self?.finished(id)
            }
        }
    }

    private func finished(_ id: Int) {
        running[id] = nil
        startWaiting()
        guard running.isEmpty else { return }
        for continuation in idle { continuation.resume() }
        idle.removeAll()
    }

    private func cancelRunning() {
        for task in running.values { task.cancel() }
    }
}
