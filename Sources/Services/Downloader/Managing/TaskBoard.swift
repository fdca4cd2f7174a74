package import Concurrency
import Synchronization

/// The tasks of a folder as they are now, and who follows their changes.
final class TaskBoard: Sendable {
    private struct State {
        var tasks: [String: DownloadTask] = [:]
        var followers: [ObjectIdentifier: TaskFollower] = [:]
    }

    private let state = Mutex(State())

    /// In the order in which they were made.
    var tasks: [DownloadTask] {
        state.withLock { Array($0.tasks.values) }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    func task(_ id: String) -> DownloadTask? { state.withLock { $0.tasks[id] } }

    func show(_ task: DownloadTask) {
        change(task.id) { $0 = task }
    }

    func remove(_ id: String) {
        change(id) { $0 = nil }
    }

    /// Gets all tasks, and then every change.
    func follow() -> TaskFollower {
        let follower = TaskFollower(self)
        state.withLock { $0.followers[ObjectIdentifier(follower)] = follower }
        for task in tasks { follower.note(task.id) }
        return follower
    }

    func leave(_ follower: TaskFollower) {
        state.withLock { _ = $0.followers.removeValue(forKey: ObjectIdentifier(follower)) }
    }

    private func change(_ id: String, _ body: (inout DownloadTask?) -> Void) {
        let followers = state.withLock { state in
            body(&state.tasks[id])
            return Array(state.followers.values)
        }
        for follower in followers { follower.note(id) }
    }
}

/// What has changed of a task.
package enum TaskChange: Sendable {
    case task(DownloadTask)
    case removed(id: String)
}

/// Receives task changes; pending changes of one task are merged into the last one.
package final class TaskFollower: Sendable {
    private let board: TaskBoard
    private let pending = Mutex<[String]>([])
    private let signal = ChangeSignal()

    init(_ board: TaskBoard) {
        self.board = board
    }

    func note(_ id: String) {
        pending.withLock { pending in
            if !pending.contains(id) { pending.append(id) }
        }
        signal.raise()
    }

    /// Waits for the next change; nil when none came within a time, or the task is cancelled.
    package func next(within limit: Duration, by clock: HostClock) async -> TaskChange? {
        _ = await signal.wait(within: limit, by: clock) { self.pending.withLock { !$0.isEmpty } }
        let id = pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return id.map { id in board.task(id).map(TaskChange.task) ?? .removed(id: id) }
    }

    /// Ends the subscription.
    package func leave() {
        board.leave(self)
    }
}
