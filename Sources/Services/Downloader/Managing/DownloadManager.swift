package import Concurrency
package import HTTPClient

/// The tasks of a folder while a process holds it: they are added, run in turn, stopped and removed.
package actor DownloadManager {
    /// A task that runs.
    struct Running {
        var runner: TaskRunner
        /// Ends its task.
        var stop: AsyncStream<Void>.Continuation
        /// Wait for its end.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let service: DownloadService
    let board = TaskBoard()
    var running: [String: Running] = [:]
    private var requests: [String: DownloadRequest] = [:]
    private var queue: [String] = []
    private let starts: AsyncStream<String>
    private let start: AsyncStream<String>.Continuation
    private var isStopping = false

    private init(service: DownloadService) {
        self.service = service
        (starts, start) = AsyncStream<String>.makeStream()
    }

    /// Takes the folder, as `DownloadService.open` does; tasks that were running when their process ended
    /// wait for their turn.
    package static func open(
        _ path: String, _ options: DownloadOptions, client: HTTPClient, clock: HostClock,
    ) async throws(DownloadError) -> DownloadManager {
        let service = try DownloadService.open(path, options, client: client, clock: clock)
        let manager = DownloadManager(service: service)
        try await manager.load()
        return manager
    }

    private func load() async throws(DownloadError) {
        for var task in try await DownloadService.tasks(in: service.path, clock: service.tools.clock) {
            task.apply(.interrupted, at: service.tools.clock.now())
            board.show(task)
            if task.state == .queued { queue.append(task.id) }
        }
    }

    /// Runs tasks until it is cancelled; what runs then goes on when the folder is opened again.
    package func run() async {
        await withDiscardingTaskGroup { group in
            startNext()
            for await id in starts {
                group.addTask { await self.carryOut(id) }
            }
            await stopAll()
        }
    }

    private func stopAll() async {
        isStopping = true
        for entry in running.values {
            await entry.runner.willStop(.interrupt)
            entry.stop.yield()
        }
    }

    func startNext() {
        while !isStopping, running.count + starting.count < service.tools.options.tasks, !queue.isEmpty {
            let id = queue.removeFirst()
            starting.insert(id)
            start.yield(id)
        }
    }

    /// Tasks that are about to run.
    private var starting: Set<String> = []

    private func carryOut(_ id: String) async {
        do throws(DownloadError) {
            let runner = try await runner(of: id)
            // It may have been paused meanwhile, and even started again.
            guard starting.remove(id) != nil, running[id] == nil else { return startNext() }
            let (stops, stop) = AsyncStream<Void>.makeStream()
            running[id] = Running(runner: runner, stop: stop)
            if isStopping { await runner.willStop(.interrupt) }
            await Self.run(runner, until: stops, board)
        } catch {
            starting.remove(id)
            fail(id, error)
        }
        let waiting = running.removeValue(forKey: id)?.waiting ?? []
        for waiter in waiting { waiter.resume() }
        startNext()
    }

    /// Runs a task until it has ended or is stopped.
    private static func run(
        _ runner: TaskRunner, until stops: AsyncStream<Void>, _ board: TaskBoard
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(DownloadError) {
                    board.show(try await runner.run())
                } catch {
                    var task = await runner.stored.task
                    task.error = DownloadTask.Failure(title: error.title, detail: error.description)
                    board.show(task)
                }
            }
            group.addTask { for await _ in stops { return } }
            await group.next()
            group.cancelAll()
        }
    }

    private func runner(of id: String) async throws(DownloadError) -> TaskRunner {
        var request = requests[id]
        if request == nil { request = try await service.requests(of: [id], in: [.queued]).first }
        guard var request else { throw .folder("there is no task \(id)") }
        request.id = id
        let (stored, original, folder) = try await service.begin(request)
        let board = board
        return try TaskRunner(
            stored, original: original, folder: folder, tools: service.tools, report: { board.show($0) })
    }

    /// A task that cannot even begin.
    private func fail(_ id: String, _ error: DownloadError) {
        guard var task = board.task(id) else { return }
        task.stop(because: error, at: service.tools.clock.now())
        board.show(task)
    }
}

extension DownloadManager {
    /// The tasks in the order in which they were made.
    package nonisolated var tasks: [DownloadTask] { board.tasks }

    package nonisolated func task(_ id: String) -> DownloadTask? { board.task(id) }

    /// Gets all tasks, and then every change.
    package nonisolated func follow() -> TaskFollower { board.follow() }

    /// Adds a task; a task that is there already stays as it is.
    package func add(
        _ request: DownloadRequest
    ) async throws(DownloadError) -> (task: DownloadTask, isNew: Bool) {
        let (stored, original, folder) = try await service.begin(request)
        let id = stored.task.id
        if original != nil, let task = board.task(id) { return (task, false) }
        try await folder.replace(TaskFolder.taskFile, with: try stored.bytes(), mode: 0o600)
        if let task = board.task(id) { return (task, false) }
        requests[id] = request
        board.show(stored.task)
        enqueue(id)
        return (stored.task, true)
    }

    /// Adds a task, or lets the one that is there go on: a paused one, or one that failed or was canceled.
    package func take(_ request: DownloadRequest) async throws(DownloadError) -> DownloadTask {
        let (task, isNew) = try await add(request)
        guard !isNew else { return task }
        switch task.state {
        case .paused: return try await goOn(task.id, isRetry: false)
        case .failed, .canceled: return try await goOn(task.id, isRetry: true)
        default: return task
        }
    }

    /// Pauses a task; one that records a live presentation is completed as far as it goes.
    package func pause(_ id: String) async throws(DownloadError) -> DownloadTask {
        try await change(id, .pause) { () async throws(DownloadError) in
            try await self.service.pause([id])
        }
    }

    /// Cancels a task; its parts stay.
    package func cancel(_ id: String) async throws(DownloadError) -> DownloadTask {
        try await change(id, .cancel) { () async throws(DownloadError) in
            try await self.service.cancel([id])
        }
    }

    /// Lets a paused task go on, or one that failed or was canceled (`isRetry`).
    package func goOn(_ id: String, isRetry: Bool) async throws(DownloadError) -> DownloadTask {
        guard let task = board.task(id) else { throw .noTask(id) }
        let allowed: Set<TaskState> = isRetry ? [.failed, .canceled] : [.paused]
        guard allowed.contains(task.state) else {
            if !isRetry, !task.state.isEnded { return task }
            throw .notNow("\(id) is \(task.state.rawValue)")
        }
        let stored = try await service.begin(try await request(of: id)).0
        try await service.keep(stored)
        board.show(stored.task)
        enqueue(id)
        return stored.task
    }

    /// Deletes a task with its files.
    package func remove(_ id: String) async throws(DownloadError) {
        guard board.task(id) != nil else { throw .noTask(id) }
        unqueue(id)
        await stop(id, .cancel)
        try await service.remove([id])
        requests[id] = nil
        board.remove(id)
    }
}

extension DownloadManager {
    private func enqueue(_ id: String) {
        guard !queue.contains(id), !starting.contains(id), running[id] == nil else { return }
        queue.append(id)
        startNext()
    }

    private func unqueue(_ id: String) {
        queue.removeAll { $0 == id }
        starting.remove(id)
    }

    private func request(of id: String) async throws(DownloadError) -> DownloadRequest {
        let all = try await service.requests(of: [id], in: Set(TaskState.allCases))
        guard let request = all.first else { throw .noTask(id) }
        return request
    }

    /// Stops a task that runs, else changes it on the disk.
    private func change(
        _ id: String, _ reason: StopReason,
        _ onDisk: () async throws(DownloadError) -> [DownloadTask]
    ) async throws(DownloadError) -> DownloadTask {
        guard board.task(id) != nil else { throw .noTask(id) }
        unqueue(id)
        if running[id] != nil {
            await stop(id, reason)
        } else {
            for task in try await onDisk() { board.show(task) }
        }
        guard let task = board.task(id) else { throw .noTask(id) }
        return task
    }

    private func stop(_ id: String, _ reason: StopReason) async {
        guard let entry = running[id] else { return }
        await entry.runner.willStop(reason)
        entry.stop.yield()
        await withCheckedContinuation { waiter in
            if running[id] == nil { waiter.resume() } else { running[id]?.waiting.append(waiter) }
        }
    }
}
