package import Concurrency
import Files
import Glibc

/// Operations on the tasks of a folder, except downloading.
extension DownloadService {
    /// The tasks of a folder in the order in which they were made; needs no lock.
    ///
    /// A task that an ended process left unfinished counts as queued.
    package static func tasks(in path: String, clock: HostClock) async throws(DownloadError) -> [DownloadTask]
    {
        let work = FileWork()
        let hasHolder = try await isInUse(path, work)
        return try await tasks(in: path, areIdle: !hasHolder, work: work, clock: clock)
    }

    /// Whether a process holds a folder.
    package static func isInUse(_ path: String) async throws(DownloadError) -> Bool {
        try await isInUse(path, FileWork())
    }

    private static func isInUse(_ path: String, _ work: FileWork) async throws(DownloadError) -> Bool {
        try await work.run { () throws(DownloadError) in try isHeld(path) }
    }

    /// The tasks of the folder that this process holds, before it works at one of them.
    package func tasks() async throws(DownloadError) -> [DownloadTask] {
        try await Self.tasks(in: path, areIdle: true, work: tools.work, clock: tools.clock)
    }

    /// With `areIdle` no process works at a task: what runs was interrupted.
    private static func tasks(
        in path: String, areIdle: Bool, work: FileWork, clock: HostClock
    ) async throws(DownloadError) -> [DownloadTask] {
        let names = try await work.run { () throws(DownloadError) in try Disk<DownloadError>().list(path) }
        var tasks: [DownloadTask] = []
        for name in names where TaskID.isValid(name) {
            let folder = TaskFolder("\(path)/\(name)", work: work)
            guard var task = await task(in: folder, named: name, clock: clock) else { continue }
            if areIdle { task.apply(.interrupted, at: clock.now()) }
            tasks.append(task)
        }
        return tasks.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    /// The task of a folder; nil for a folder of something else.
    ///
    /// One that cannot be read counts as failed: it does not stop the others, and it can be removed.
    private static func task(
        in folder: TaskFolder, named name: String, clock: HostClock
    ) async -> DownloadTask? {
        do throws(DownloadError) {
            let task = try await StoredTask.reading(from: folder)?.task
            return task?.id == name ? task : nil
        } catch {
            var task = DownloadTask(id: name, url: "", title: name, created: clock.now())
            task.stop(because: error, at: clock.now())
            return task
        }
    }

    private static func isHeld(_ path: String) throws(DownloadError) -> Bool {
        let lock: DescriptorHandle<DownloadError>
        do {
            lock = try Disk<DownloadError>().open("\(path)/.lock", O_RDWR | O_NOFOLLOW)
        } catch .system(.open, _, ENOENT) {
            return false
        }
        return try !lock.tryLock(isShared: true)
    }

    /// Pauses tasks that wait for their turn; what is paused stays so.
    ///
    /// `areQueued`: they are in the queue, although their files may still say failed or canceled.
    package func pause(
        _ ids: [String], areQueued: Bool = false
    ) async throws(DownloadError) -> [DownloadTask] {
        try await change(ids, by: .paused, areQueued: areQueued) { $0 == .paused }
    }

    /// Cancels tasks; their parts stay.
    package func cancel(
        _ ids: [String], areQueued: Bool = false
    ) async throws(DownloadError) -> [DownloadTask] {
        try await change(ids, by: .canceled, areQueued: areQueued) { $0 == .canceled }
    }

    /// Deletes tasks with all their files.
    package func remove(_ ids: [String]) async throws(DownloadError) {
        for id in ids {
            let folder = try folder(of: id)
            guard try await folder.read(TaskFolder.taskFile, upTo: 1) != nil else { throw Self.unknown(id) }
            try await folder.removeAll()
        }
    }

    /// What was asked for by tasks that are in one of these states.
    func requests(
        of ids: [String], in states: Set<TaskState>
    ) async throws(DownloadError) -> [DownloadRequest] {
        var requests: [DownloadRequest] = []
        for id in ids {
            guard var stored = try await StoredTask.reading(from: try folder(of: id)) else {
                throw Self.unknown(id)
            }
            stored.task.apply(.interrupted, at: tools.clock.now())
            guard states.contains(stored.task.state) else { continue }
            var request = stored.request
            request.id = id
            requests.append(request)
        }
        return requests
    }

    /// What was asked for by a task that can be resumed, or retried; another one is refused by its state.
    package func request(of id: String, isRetry: Bool) async throws(DownloadError) -> DownloadRequest {
        let allowed: Set<TaskState> = isRetry ? [.failed, .canceled] : [.paused, .queued]
        if let request = try await requests(of: [id], in: allowed).first { return request }
        guard var task = try await StoredTask.reading(from: try folder(of: id))?.task else {
            throw Self.unknown(id)
        }
        task.apply(.interrupted, at: tools.clock.now())
        throw .invalidState(task.refusal(of: isRetry ? .retried : .resumed))
    }

    private func change(
        _ ids: [String], by event: TaskEvent, areQueued: Bool, unless isDone: (TaskState) -> Bool
    ) async throws(DownloadError) -> [DownloadTask] {
        var tasks: [DownloadTask] = []
        for id in ids {
            let folder = try folder(of: id)
            guard var stored = try await StoredTask.reading(from: folder) else { throw Self.unknown(id) }
            stored.task.apply(.interrupted, at: tools.clock.now())
            // The file of a task that is queued again is not written before it runs.
            if areQueued { stored.task.apply(.retried, at: tools.clock.now()) }
            if !isDone(stored.task.state) {
                guard stored.task.apply(event, at: tools.clock.now()) else {
                    throw .invalidState(stored.task.refusal(of: event))
                }
                try await folder.replaceTask(stored)
            }
            tasks.append(stored.task)
        }
        return tasks
    }

    /// Keeps the state of a task, as it was asked for.
    func keep(_ task: DownloadTask) async throws(DownloadError) {
        guard var stored = try await StoredTask.reading(from: try folder(of: task.id)) else {
            throw Self.unknown(task.id)
        }
        stored.task = task
        try await keep(stored)
    }

    /// Keeps the state of a task.
    func keep(_ stored: StoredTask) async throws(DownloadError) {
        let folder = try folder(of: stored.task.id)
        try await folder.replaceTask(stored)
    }

    private func folder(of id: String) throws(DownloadError) -> TaskFolder {
        guard TaskID.isValid(id) else { throw Self.unknown(id) }
        return tools.folder("\(path)/\(id)")
    }

    private static func unknown(_ id: String) -> DownloadError {
        .noTask(id)
    }
}
