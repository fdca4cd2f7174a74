package import Files
import HTTPClient

/// Why a download cannot go on, in words that follow the name of the task.
package enum DownloadError: FileFailure, Equatable, Sendable, CustomStringConvertible {
    /// The task was paused or the program is ending.
    case cancelled
    /// The file system or the quota is full.
    case diskFull(path: String)
    /// A call to the system failed with an error number.
    case system(FileOperation, path: String, number: Int32)
    /// The URL leads to something that cannot be downloaded.
    case unusable(String)
    /// Encrypted so that nothing can be played without a licence.
    case protected(method: String)
    /// A key cannot be fetched, or does not open its segments.
    case key(String)
    /// A part of the presentation cannot be fetched.
    case part(name: String, reason: String)
    /// What was asked for is not there.
    case notAvailable(String, available: [String])
    /// The id belongs to another path, or the source is another presentation than the one begun.
    case conflict(String)
    /// A window has not ended.
    case unfinished(String)
    /// There was no network for as long as is allowed.
    case noNetwork(String)
    /// There is no task with the id.
    case noTask(String)
    /// The state of the task does not allow what is asked.
    case invalidState(String)
    /// Another process holds the folder.
    case inUse(path: String)
    /// The folder or what it holds cannot be used.
    case folder(String)

    /// Whether the arguments of the task are wrong, so that nothing was touched.
    package var isRefusal: Bool {
        if case .conflict = self { return true }
        return false
    }

    /// What is wrong, in a few words.
    package var title: String {
        switch self {
        case .cancelled: "Paused"
        case .diskFull: "Disk full"
        case .system: "File error"
        case .unusable: "Cannot be downloaded"
        case .protected: "Protected"
        case .key: "Key missing"
        case .part: "Part missing"
        case .notAvailable: "Not available"
        case .conflict: "Another task"
        case .unfinished: "Not finished"
        case .noNetwork: "No network"
        case .noTask: "No such task"
        case .invalidState: "Not possible"
        case .inUse: "Folder in use"
        case .folder: "Folder unusable"
        }
    }

    package var description: String {
        switch self {
        case .cancelled: "the download was stopped"
        case .diskFull(let path): "no space is left to write \(path)"
        case .system(let operation, let path, let number):
            "cannot \(operation.rawValue) \(path): \(SystemErrorNumber.message(for: number))"
        case .unusable(let reason): reason
        case .protected(let method):
            "the media is encrypted with \(method), which only the provider's player can decrypt"
        case .key(let reason): reason
        case .part(let name, let reason): "\(name): \(reason)"
        case .notAvailable(let what, let available):
            "the source has no \(what); it has: \(available.joined(separator: ", "))"
        case .conflict(let reason): "\(reason); choose another id with --id"
        case .unfinished(let reason): "the window has not ended, and \(reason)"
        case .noNetwork(let reason): reason
        case .noTask(let id): "there is no task \(id)"
        case .invalidState(let reason): reason
        case .inUse(let path): "\(path) is in use by another process"
        case .folder(let reason): reason
        }
    }
}
