package import Timeline

/// A download as its viewers see it: without the query of its URL and without header values.
package struct DownloadTask: Sendable, Equatable, Codable {
    package var id: String
    /// Without user information and query.
    package var url: String
    package var title: String
    package internal(set) var state = TaskState.queued
    /// From 0 to 1.
    package var progress = 0.0
    package var bytes: Int64 = 0
    package var speedBytesPerSecond: Int64 = 0
    package var segmentsDone = 0
    package var segmentsTotal = 0
    package var durationSeconds = 0.0
    /// The single file that the task makes; nil for a folder.
    package var file: String?
    package var picture: String?
    package var error: Failure?
    package var renditions: [TaskRendition] = []
    package var labels: [String: String] = [:]
    /// Notes about the result for people, not for programs; nil if there are none.
    package internal(set) var notes: [String]?
    package var created: Instant
    package var started: Instant?
    package var finished: Instant?

    /// Why a task failed or is paused.
    package struct Failure: Sendable, Equatable, Codable {
        package var title: String
        package var detail: String

        /// Whether nothing of the task was touched, because it was asked for wrongly.
        package var isRefusal: Bool { title == DownloadError.conflict("").title }
    }

    init(id: String, url: String, title: String, labels: [String: String] = [:], created: Instant) {
        self.id = id
        self.url = url
        self.title = title
        self.labels = labels
        self.created = created
    }

    /// Changes the state; returns whether the event is possible in it.
    @discardableResult
    mutating func apply(_ event: TaskEvent, at now: Instant) -> Bool {
        guard let next = state.after(event) else { return false }
        state = next
        switch event {
        case .started:
            started = started ?? now
            error = nil
        case .retried, .resumed:
            error = nil
            finished = nil
        default: break
        }
        if next.isEnded { finished = now }
        if next == .completed { progress = 1 }
        if !next.isRunning { speedBytesPerSecond = 0 }
        return true
    }

    /// Why an event is not possible.
    func refusal(of event: TaskEvent) -> String {
        "\(id) is \(state.rawValue) and cannot be \(event.rawValue)"
    }

    /// Changes the state because of an error: a full disk and a stop only pause a task.
    mutating func stop(because error: DownloadError, at now: Instant) {
        switch error {
        case .cancelled: apply(.paused, at: now)
        case .diskFull:
            self.error = Failure(title: error.title, detail: error.description)
            apply(.paused, at: now)
        default:
            self.error = Failure(title: error.title, detail: error.description)
            apply(.failed, at: now)
        }
    }
}

/// A rendition that a task has chosen.
package struct TaskRendition: Sendable, Equatable, Codable {
    /// The name of its folder, which it has before its media is known.
    package var id: RenditionID
    /// What its media is; nil until that is known.
    var content: RenditionKind?
    package var language: String?
    package var name: String?
    package var bitsPerSecond: Int?
    package var width: Int?
    package var height: Int?
    package var codecs: String?

    package var kind: RenditionKind { content ?? id.kind }
}
