package import Concurrency
package import Files
import Glibc
import HTTP
package import HTTPClient
import Synchronization
import Timeline

/// A folder of tasks, which this process holds alone.
package final class DownloadService: Sendable {
    let path: String
    let tools: DownloadTools
    private let lock: Mutex<DescriptorHandle<DownloadError>?>

    private init(
        path: String, tools: DownloadTools, lock: consuming sending DescriptorHandle<DownloadError>
    ) {
        self.path = path
        self.tools = tools
        self.lock = Mutex(lock)
    }

    /// Closing is not enough: a child process has a copy of the descriptor until it starts its program.
    deinit {
        lock.withLock { lock in lock.take()?.unlock() }
    }

    /// Makes the folder of all tasks and takes its lock, which the process keeps to its end.
    ///
    /// The client is closed by its owner.
    package static func open(
        _ path: String, _ options: DownloadOptions, client: HTTPClient, clock: HostClock,
        disk: Disk<DownloadError> = Disk(),
    ) async throws(DownloadError) -> DownloadService {
        let folder = try disk.makeFolders(path)
        let lock = try disk.open("\(folder)/.lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard try await take(lock, clock) else { throw .inUse(path: path) }
        let tools = DownloadTools(options: options, client: client, clock: clock, disk: disk)
        return DownloadService(path: folder, tools: tools, lock: lock)
    }

    /// Takes the lock of a folder; false if another process holds the folder.
    ///
    /// A process that only looks whether the folder is held has a shared lock for a moment. This one waits
    /// for its end.
    private static func take(
        _ lock: borrowing DescriptorHandle<DownloadError>, _ clock: HostClock
    ) async throws(DownloadError) -> Bool {
        let end = clock.steady() + Limits.lockWait
        while try !lock.tryLock() {
            guard try lock.tryLock(isShared: true), clock.steady() < end else { return false }
            lock.unlock()
            do {
                try await clock.sleep(for: Limits.lockPause)
            } catch {
                throw .cancelled
            }
        }
        return true
    }

    /// The task of a request: the one that its folder has, or a new one.
    func begin(
        _ request: DownloadRequest
    ) async throws(DownloadError) -> (StoredTask, original: StoredTask?, TaskFolder) {
        let url = try request.fullURL()
        let id = try request.taskID()
        let folder = tools.folder("\(path)/\(id)")
        try await folder.make()
        guard let original = try await StoredTask.reading(from: folder) else {
            guard try await folder.isUnused() else {
                throw .conflict("the folder \(id) has files and is no task")
            }
            let task = DownloadTask(
                id: id, url: url.redactedText, title: request.title ?? TaskID.title(for: url),
                labels: request.labels, created: tools.clock.now())
            return (StoredTask(task: task, request: request), nil, folder)
        }
        var stored = original
        guard stored.task.url == url.redactedText else {
            throw .conflict("the id \(id) belongs to a task of another URL")
        }
        guard stored.task.state != .completed else { return (stored, original, folder) }
        stored.request = request
        if original.request.differsInContent(from: request) || !original.request.hasSameQuery(as: request) {
            // Only the source knows whether this is the same presentation.
            stored.isOnlyToPack = nil
        }
        stored.request.isGrowing = Self.isGrowing(original, as: request)
        if let title = request.title { stored.task.title = title }
        stored.task.labels.merge(request.labels) { _, new in new }
        for event in [TaskEvent.interrupted, .resumed, .retried] {
            stored.task.apply(event, at: tools.clock.now())
        }
        return (stored, original, folder)
    }

    /// Refuses a request that would mix encrypted segments and clear ones in one folder.
    func checkForm(
        of original: StoredTask, for request: DownloadRequest, in folder: TaskFolder
    ) async throws(DownloadError) {
        let isClear = original.request.storesClear
        guard original.task.state != .completed, isClear != request.storesClear,
            try await folder.hasEncryptedParts(of: original.task)
        else { return }
        throw .conflict(
            "the segments of \(original.task.id) that are there are stored \(isClear ? "clear" : "encrypted")"
        )
    }

    /// Whether the window of a task is one that grows; nil where its server has to say it.
    ///
    /// Stored parts decide it: growing windows have other segment numbers than finished ones.
    private static func isGrowing(_ original: StoredTask, as request: DownloadRequest) -> Bool? {
        if original.request.isGrowing == true { return true }
        let isSame = (original.request.begin, original.request.duration) == (request.begin, request.duration)
        return isSame && !original.task.renditions.isEmpty ? false : nil
    }
}
