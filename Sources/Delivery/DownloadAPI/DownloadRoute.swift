import Downloader
import HTTP

/// What can be done with a task.
enum TaskAction: String, Sendable, CaseIterable {
    case pause
    case resume
    case cancel
    case retry
}

/// The resource that a path names.
enum DownloadRoute: Sendable, Equatable {
    /// A file of the page.
    case page(String)
    case tasks
    case events
    case task(String)
    case action(TaskAction, String)
    /// A playlist or file of a task.
    case media(String, name: String)
    case unknown

    init(path: String) {
        if path == "/" || PageFiles.names.contains(String(path.dropFirst())) {
            self = .page(path == "/" ? PageFiles.index : String(path.dropFirst()))
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard parts.first == "downloads", parts.count <= 4 else {
            self = .unknown
            return
        }
        let rest = parts.dropFirst().map(String.init)
        switch rest.count {
        case 0: self = .tasks
        case 1 where rest[0] == "events": self = .events
        case _ where !TaskID.isValid(rest[0]): self = .unknown
        case 1: self = .task(rest[0])
        default:
            if rest.count == 2, let action = TaskAction(rawValue: rest[1]) {
                self = .action(action, rest[0])
            } else {
                self = .media(rest[0], name: rest.dropFirst().joined(separator: "/"))
            }
        }
    }

    var isMedia: Bool {
        if case .media = self { true } else { false }
    }

    /// Whether a request with this method changes nothing.
    func isSafe(_ method: HTTPMethod) -> Bool {
        method == .get || method == .head || method == .options
    }

    /// The methods of the resource, in the order of the Allow header.
    var methods: [HTTPMethod] {
        switch self {
        case .page: [.get, .head]
        case .events: [.get]
        case .tasks: [.get, .head, .post]
        case .task: [.get, .head, .delete]
        case .action: [.post]
        case .media: [.get, .head, .options]
        case .unknown: []
        }
    }
}
