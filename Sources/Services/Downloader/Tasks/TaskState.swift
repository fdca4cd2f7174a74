/// How far a task is.
package enum TaskState: String, Sendable, Codable, CaseIterable {
    /// Waits for its turn.
    case queued
    /// Reads playlists and chooses renditions.
    case preparing
    case downloading
    /// Writes its parts into one file.
    case packing
    case paused
    /// Has no connection, and tries again until it has one.
    case waitingForNetwork = "waiting_for_network"
    case completed
    case failed
    case canceled

    /// Whether the task has ended; only a retry changes it.
    package var isEnded: Bool { self == .completed || self == .failed || self == .canceled }

    /// Whether nothing runs for the task any more: it has ended or is paused.
    package var hasStopped: Bool { isEnded || self == .paused }

    /// The state after an event; nil where the event is not possible.
    func after(_ event: TaskEvent) -> TaskState? {
        switch (self, event) {
        case (.queued, .started), (.waitingForNetwork, .started): .preparing
        case (.preparing, .prepared), (.waitingForNetwork, .prepared): .downloading
        case (.preparing, .networkLost), (.downloading, .networkLost): .waitingForNetwork
        case (.downloading, .packingStarted): .packing
        case (.downloading, .finished), (.packing, .finished): .completed
        case (.paused, .resumed), (.failed, .retried), (.canceled, .retried): .queued
        case (.queued, .paused): .paused
        case (.queued, .canceled), (.paused, .canceled): .canceled
        case (.queued, .failed): .failed
        case (_, .interrupted) where isRunning: .queued
        case (_, .paused) where isRunning: .paused
        case (_, .canceled) where isRunning: .canceled
        case (_, .failed) where isRunning: .failed
        default: nil
        }
    }

    /// Whether a process works at the task.
    var isRunning: Bool {
        switch self {
        case .preparing, .downloading, .packing, .waitingForNetwork: true
        case .queued, .paused, .completed, .failed, .canceled: false
        }
    }
}

/// What happens to a task.
enum TaskEvent: String, Sendable, CaseIterable {
    case started
    case prepared
    case packingStarted
    case finished
    case networkLost
    case paused
    case resumed
    case retried
    case canceled
    case failed
    /// The process that worked at the task has ended.
    case interrupted
}
