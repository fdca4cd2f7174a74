/// The downloads of one rendition: a few run at once, in the order they were asked for, the others wait their turn.
/// They are tasks of their own, because they may finish after polling has been told to stop.
actor FetchPool {
    /// One try: takes its number from 1, and says after what pause it wants another.
    typealias Work = @Sendable (_ attempt: Int) async -> Duration?

    private struct Turn {
        var work: Work
        var attempt: Int
    }

    private var waiting: [Turn] = []
    /// Work that rests between two tries; it holds no place.
    private var resting = 0
    private var isDraining = false
    private var running: [Int: Task<Void, Never>] = [:]
    private var nextID = 0
    private var idle: [CheckedContinuation<Void, Never>] = []
    private let parallel: Int

    init(parallel: Int) {
        self.parallel = parallel
    }

    /// Takes work on; false when too much waits already.
    func add(_ work: @escaping Work) -> Bool {
        guard waiting.count + resting < Limits.waitingSegments, !isDraining else { return false }
        waiting.append(Turn(work: work, attempt: 1))
        startWaiting()
        return true
    }

    /// Drops what waits, lets what runs finish within the time given, then cancels it.
    func drain(within time: Duration) async {
        isDraining = true
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
            let turn = waiting.removeFirst()
            let id = nextID
            nextID += 1
            running[id] = Task { [weak self] in
                let pause = await turn.work(turn.attempt)
                await self?.finished(id)
                if let pause { await self?.rest(turn, for: pause) }
            }
        }
    }

    private func rest(_ turn: Turn, for pause: Duration) async {
        resting += 1
        try? await Task.sleep(for: pause)
        resting -= 1
        guard !isDraining else { return }
        waiting.append(Turn(work: turn.work, attempt: turn.attempt + 1))
        startWaiting()
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
