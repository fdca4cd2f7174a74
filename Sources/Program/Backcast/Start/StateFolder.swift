import Digest
import Foundation

/// The folder of everything that a process keeps across restarts; used by one process at a time.
final class StateFolder: Sendable {
    private let path: String
    private let lock: Int32

    /// Where the journal is.
    var journal: String { path + "/journal" }
    var tokenFile: String { path + "/admin-token" }
    /// The source hosts that were seen at a public address.
    var publicHosts: HostFile { HostFile(path + "/public-hosts") }

    private init(path: String, lock: Int32) {
        self.path = path
        self.lock = lock
    }

    deinit { close(lock) }

    /// Opens and locks the folder, and creates it (mode 0700) when there is none.
    ///
    /// Throws when another process uses the folder.
    static func open(_ path: String) throws(ProgramError) -> StateFolder {
        do {
            let above = URL(filePath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
        } catch {
            throw ProgramError("\(Setting.state.rawValue): the folder \(path) cannot be made: \(error)")
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system("\(Setting.state.rawValue): the folder \(path) cannot be made", errno)
        }
        return StateFolder(path: path, lock: try takeLock(in: path))
    }

    /// The lock ends with its process, also when that crashes.
    private static func takeLock(in folder: String) throws(ProgramError) -> Int32 {
        let path = folder + "/lock"
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .system("\(Setting.state.rawValue): \(path) cannot be opened", errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw ProgramError("\(Setting.state.rawValue): another backcast uses the folder \(folder)")
        }
        return descriptor
    }

    /// The node's name in the catalogue: the same after every restart.
    func nodeIdentifier() throws(ProgramError) -> String {
        let made = UUID().uuidString.lowercased()
        let word = try WordFile(path + "/node-id").readOrCreate { made }.word
        guard let uuid = UUID(uuidString: word) else {
            throw ProgramError("\(path)/node-id contains no UUID; remove the file to get a new one")
        }
        return uuid.uuidString.lowercased()
    }

    /// The admin token of this folder, generated when there is none.
    func adminToken() throws -> (token: Secret, isNew: Bool) {
        let made = Base64URL.encode(try randomBytes(Limits.tokenByteCount))
        let (word, isNew) = try WordFile(tokenFile).readOrCreate { made }
        guard Secret.isStrong(word) else {
            throw ProgramError(
                "\(tokenFile) contains no token of at least \(Limits.minTokenCharacters) characters; "
                    + "remove the file to get a new one")
        }
        return (Secret(word), isNew)
    }
}
