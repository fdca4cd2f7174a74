package import Concurrency
package import Files
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

    package nonisolated let service: DownloadService
    let board = TaskBoard()
    var running: [String: Running] = [:]
    private var requests: [String: DownloadRequest] = [:]
    private var queue: [String] = []
    private let starts: AsyncStream<String>
    private let start: AsyncStream<String>.Continuation
    private var isStopping = false
    /// Whether it ends because it has no more tasks.
    private var hasEnded = false
    private let lifetime: Lifetime
    private let report: @Sendable (DownloadTask) -> Void
    /// The errors of refused tasks, whose folders were left unchanged.
    private var refusals: [String: DownloadError] = [:]

    /// How long a process holds a folder.
    package enum Lifetime: Sendable {
        /// Until it is stopped. The next process continues the tasks that were running.
        case untilStopped
        /// Until all tasks that it was given have ended; a stop pauses them.
        case untilDone
    }

    private init(
        service: DownloadService, lifetime: Lifetime, report: @escaping @Sendable (DownloadTask) -> Void
    ) {
        self.service = service
        self.lifetime = lifetime
        self.report = report
        (starts, start) = AsyncStream<String>.makeStream()
    }

    /// Takes the folder, as `DownloadService.open` does; `report` gets each change of a task, on any thread.
    package static func open(
        _ path: String, _ options: DownloadOptions, client: HTTPClient, clock: HostClock,
        disk: Disk<DownloadError> = Disk(), lifetime: Lifetime = .untilStopped,
        report: @escaping @Sendable (DownloadTask) -> Void = { _ in },
    ) async throws(DownloadError) -> DownloadManager {
        let service = try await DownloadService.open(path, options, client: client, clock: clock, disk: disk)
        let manager = DownloadManager(service: service, lifetime: lifetime, report: report)
        try await manager.load()
        return manager
    }

    private func load() async throws(DownloadError) {
        for task in try await service.tasks() {
            board.show(task)
            if task.state == .queued, lifetime == .untilStopped { queue.append(task.id) }
        }
    }

    /// Runs tasks until it is cancelled, or until it has none where its lifetime says so.
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
        for entry in running.values { entry.stop.yield() }
        guard lifetime == .untilDone else { return }
        for id in queue { for task in (try? await service.pause([id], areQueued: true)) ?? [] { show(task) } }
    }

    func startNext() {
        while !isStopping, running.count + starting.count < service.tools.options.tasks, !queue.isEmpty {
            let id = queue.removeFirst()
            starting.insert(id)
            start.yield(id)
        }
        guard lifetime == .untilDone, running.isEmpty, starting.isEmpty, queue.isEmpty else { return }
        hasEnded = true
        start.finish()
    }

    /// Tasks that are about to run.
    private var starting: Set<String> = []
    /// Tasks that a call is changing, and the calls that wait until it has finished.
    private var taskWaiters: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// Lets only one call at a time change a task; the others wait.
    ///
    /// A call that waits for the end of a run does so before or after, since the run may take long.
    private func exclusively<Value, Failure: Error>(
        _ id: String, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        while taskWaiters[id] != nil { await withCheckedContinuation { taskWaiters[id]?.append($0) } }
        taskWaiters[id] = []
        defer { for waiter in taskWaiters.removeValue(forKey: id) ?? [] { waiter.resume() } }
        return try await work()
    }

    private func carryOut(_ id: String) async {
        if let (runner, stops) = await exclusively(id, { await begin(id) }) {
            refusals[id] = await Self.run(runner, until: stops, show)
            // The folder still has the earlier request, which is used when the task goes on.
            if refusals[id] != nil { requests[id] = nil }
            for waiter in running.removeValue(forKey: id)?.waiting ?? [] { waiter.resume() }
        }
        startNext()
    }

    /// Begins a task; nil if it was paused or removed meanwhile, or cannot begin.
    private func begin(_ id: String) async -> (TaskRunner, stops: AsyncStream<Void>)? {
        guard starting.contains(id) else { return nil }
        defer { starting.remove(id) }
        do throws(DownloadError) {
            let runner = try await runner(of: id)
            let (stops, stop) = AsyncStream<Void>.makeStream()
            running[id] = Running(runner: runner, stop: stop)
            return (runner, stops)
        } catch {
            await fail(id, error)
            return nil
        }
    }

    /// Runs a task until it has ended or is stopped; returns the error if it was refused and left unchanged.
    private static func run(
        _ runner: TaskRunner, until stops: AsyncStream<Void>,
        _ show: @escaping @Sendable (DownloadTask) -> Void
    ) async -> DownloadError? {
        await withTaskGroup(of: DownloadError?.self) { group in
            group.addTask {
                do throws(DownloadError) {
                    show(try await runner.run())
                    return nil
                } catch {
                    var task = await runner.stored.task
                    task.error = DownloadTask.Failure(title: error.title, detail: error.description)
                    show(task)
                    return error
                }
            }
            group.addTask {
                for await _ in stops { break }
                return nil
            }
            var refusal = await group.next() ?? nil
            group.cancelAll()
            while let other = await group.next() { refusal = refusal ?? other }
            return refusal
        }
    }

    /// Shows a change to all who follow the tasks.
    private nonisolated var show: @Sendable (DownloadTask) -> Void {
        { [board, report] task in
            board.show(task)
            report(task)
        }
    }

    private func runner(of id: String) async throws(DownloadError) -> TaskRunner {
        var request = requests[id]
        if request == nil { request = try await service.requests(of: [id], in: [.queued]).first }
        guard var request else { throw .folder("there is no task \(id)") }
        request.id = id
        let (stored, original, folder) = try await service.begin(request)
        let runner = try TaskRunner(
            stored, original: original, folder: folder, tools: service.tools, report: show)
        // A process stop cancels the Swift task before its runner can be told why, so it is told now.
        await runner.willStop(lifetime == .untilStopped ? .interrupt : .pause)
        return runner
    }

    /// Stores why a task could not begin.
    private func fail(_ id: String, _ error: DownloadError) async {
        guard var task = board.task(id) else { return }
        task.stop(because: error, at: service.tools.clock.now())
        try? await service.keep(task)
        show(task)
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
        let id = try request.taskID()
        return try await exclusively(id) { () async throws(DownloadError) in
            let (stored, original, folder) = try await service.begin(request)
            if original != nil, let task = board.task(id) { return (task, false) }
            try await folder.replaceTask(stored)
            requests[id] = request
            board.show(stored.task)
            enqueue(id)
            return (stored.task, true)
        }
    }

    /// Adds a task, or resumes one that is not completed, with the options of this request.
    package func addOrResume(_ request: DownloadRequest) async throws(DownloadError) -> DownloadTask {
        guard !isEnding else { throw .invalidState(Self.ending) }
        let id = try request.taskID()
        await waitIfEnding(id)
        return try await exclusively(id) { () async throws(DownloadError) in
            try await addOrResumeExclusively(request)
        }
    }

    private func addOrResumeExclusively(_ request: DownloadRequest) async throws(DownloadError)
        -> DownloadTask
    {
        let (stored, original, folder) = try await service.begin(request)
        let id = stored.task.id
        if stored.task.state == .completed, let other = stored.request.difference(from: request) {
            throw .conflict("the task \(id) is complete, with another \(other)")
        }
        if let original { try await service.checkForm(of: original, for: request, in: folder) }
        if isActive(id) { return try joinActive(request, stored, original) }
        guard stored.task.state != .completed else {
            show(stored.task)
            return stored.task
        }
        // The last task may have ended meanwhile.
        guard !isEnding else { throw .invalidState(Self.ending) }
        requests[id] = request
        // A stored task is not overwritten yet: the source may turn out to be another presentation.
        if original == nil {
            try await folder.replaceTask(stored)
            guard !isEnding else { throw .invalidState(Self.ending) }
        }
        show(stored.task)
        enqueue(id)
        return stored.task
    }

    /// Accepts a request for a task that is running or queued, if it asks for the same thing.
    ///
    /// A task that an earlier process left continues with the new request.
    private func joinActive(
        _ request: DownloadRequest, _ stored: StoredTask, _ original: StoredTask?
    ) throws(DownloadError) -> DownloadTask {
        let id = stored.task.id
        let isQueued = queue.contains(id)
        if let begun = requests[id] ?? (isQueued ? nil : original?.request) {
            let other = begun.hasSameQuery(as: request) ? begun.difference(from: request) : "query in its URL"
            if let other { throw .conflict("the task \(id) is under way, with another \(other)") }
        }
        guard isQueued else { return board.task(id) ?? stored.task }
        requests[id] = request
        show(stored.task)
        return stored.task
    }

    /// Why a task was refused and left unchanged; nil for one that was not.
    package func refusal(of id: String) -> DownloadError? { refusals[id] }

    /// Pauses a task; one that records a live presentation is completed as far as it goes.
    package func pause(_ id: String) async throws(DownloadError) -> DownloadTask {
        try await change(id, .pause) { isQueued async throws(DownloadError) in
            try await self.service.pause([id], areQueued: isQueued)
        }
    }

    /// Cancels a task; its parts stay.
    package func cancel(_ id: String) async throws(DownloadError) -> DownloadTask {
        try await change(id, .cancel) { isQueued async throws(DownloadError) in
            try await self.service.cancel([id], areQueued: isQueued)
        }
    }

    /// Resumes a paused or interrupted task, or with `isRetry` one that failed or was canceled.
    ///
    /// Throws `noTask` for an unknown id, and `invalidState` if the task or the process cannot resume it.
    package func resume(_ id: String, isRetry: Bool) async throws(DownloadError) -> DownloadTask {
        await waitIfEnding(id)
        return try await exclusively(id) { () async throws(DownloadError) in
            try await resumeExclusively(id, isRetry: isRetry)
        }
    }

    private func resumeExclusively(_ id: String, isRetry: Bool) async throws(DownloadError) -> DownloadTask {
        guard let task = board.task(id) else { throw .noTask(id) }
        guard !isEnding else { throw .invalidState(Self.ending) }
        let allowed: Set<TaskState> = isRetry ? [.failed, .canceled] : [.paused]
        // A task that an earlier process left has the state queued, but may not be in the queue.
        let isLeft = !isRetry && task.state == .queued && !isActive(id)
        guard isLeft || allowed.contains(task.state) else {
            if !isRetry, !task.state.isEnded { return task }
            throw .invalidState(task.refusal(of: isRetry ? .retried : .resumed))
        }
        let stored = try await service.begin(try await request(of: id)).0
        try await service.keep(stored)
        board.show(stored.task)
        enqueue(id)
        return stored.task
    }

    /// Deletes a task with its files, stopping it first; throws `noTask` for an unknown id.
    package func remove(_ id: String) async throws(DownloadError) {
        guard board.task(id) != nil else { throw .noTask(id) }
        while try await !removeUnlessRunning(id) { await stop(id, .cancel) }
    }

    private func removeUnlessRunning(_ id: String) async throws(DownloadError) -> Bool {
        try await exclusively(id) { () async throws(DownloadError) in
            removeFromQueue(id)
            guard running[id] == nil else { return false }
            try await service.remove([id])
            requests[id] = nil
            board.remove(id)
            return true
        }
    }
}

extension DownloadManager {
    private static let ending = "the process that holds the folder is ending"

    /// Whether it takes no more tasks.
    private var isEnding: Bool { isStopping || hasEnded }

    /// Whether a task runs or is queued.
    private func isActive(_ id: String) -> Bool {
        queue.contains(id) || starting.contains(id) || running[id] != nil
    }

    private func enqueue(_ id: String) {
        guard !isActive(id) else { return }
        queue.append(id)
        startNext()
    }

    private func removeFromQueue(_ id: String) {
        queue.removeAll { $0 == id }
        starting.remove(id)
    }

    private func request(of id: String) async throws(DownloadError) -> DownloadRequest {
        let all = try await service.requests(of: [id], in: Set(TaskState.allCases))
        guard let request = all.first else { throw .noTask(id) }
        return request
    }

    /// Stops a task that runs, else changes it on the disk; one that cannot be changed stays in the queue.
    private func change(
        _ id: String, _ reason: StopReason,
        _ onDisk: (_ isQueued: Bool) async throws(DownloadError) -> [DownloadTask]
    ) async throws(DownloadError) -> DownloadTask {
        guard board.task(id) != nil else { throw .noTask(id) }
        await waitIfEnding(id)
        let isRunning = try await exclusively(id) { () async throws(DownloadError) in
            if running[id] == nil { for task in try await onDisk(isActive(id)) { board.show(task) } }
            removeFromQueue(id)
            return running[id] != nil
        }
        if isRunning { await stop(id, reason) }
        guard let task = board.task(id) else { throw .noTask(id) }
        return task
    }

    private func stop(_ id: String, _ reason: StopReason) async {
        guard let entry = running[id] else { return }
        await entry.runner.willStop(reason)
        entry.stop.yield()
        await end(of: id)
    }

    /// Waits for the end of a run whose task already has its final state, or is paused.
    private func waitIfEnding(_ id: String) async {
        guard let state = board.task(id)?.state, state.hasStopped else { return }
        await end(of: id)
    }

    /// Waits for the end of a run, if there is one.
    private func end(of id: String) async {
        guard running[id] != nil else { return }
        await withCheckedContinuation { running[id]?.waiting.append($0) }
    }
}
