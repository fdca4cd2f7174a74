import Concurrency
import Encoding
import Files
import Glibc
import Logging
import Synchronization

/// The folder of temporary files, shared by the processes that write to one archive.
///
/// Each opening has a token, a lock file `{token}.lock` that it holds as long as it lives, and drafts
/// `{token}-{number}.part`: drafts of a lock that is not held were left by a crash.
final class DraftFolder: Sendable {
    let path: String
    let disk: Disk<StoreError>
    let logger: Logger
    private let token: String
    private let lock: DescriptorHandle<StoreError>
    private let drafts = Mutex(Drafts())

    private struct Drafts {
        var open = 0
        var last = 0
    }

    private init(
        path: String, disk: Disk<StoreError>, logger: Logger, token: String,
        lock: consuming DescriptorHandle<StoreError>
    ) {
        self.path = path
        self.disk = disk
        self.logger = logger
        self.token = token
        self.lock = lock
    }

    deinit {
        remove(lock.path)
    }

    /// Takes a token and removes what crashes have left; files that were committed get their names in the
    /// archive again.
    static func open(
        _ path: String, disk: Disk<StoreError>, logger: Logger, tree: FolderTree? = nil,
    ) throws(StoreError) -> DraftFolder {
        try disk.makeFolder(path, mode: 0o700)
        for _ in 0..<Limits.lockAttempts {
            let token = Self.newToken()
            let lock = try disk.open("\(path)/\(token).lock", O_CREAT | O_EXCL | O_RDWR, mode: 0o600)
            // Another process may have taken the lock for an abandoned one before it was held.
            guard try lock.tryLock(), try lock.status().st_nlink > 0 else { continue }
            let folder = DraftFolder(path: path, disk: disk, logger: logger, token: token, lock: lock)
            try folder.sweep(tree)
            return folder
        }
        throw .system(.lock, path: path, number: EAGAIN)
    }

    /// When this opening began, by the clock of the file system, seconds since 1970.
    func openedSeconds() throws(StoreError) -> Int {
        try lock.status().st_mtim.tv_sec
    }

    /// A name for a new draft.
    func makeDraftFile(thread: BlockingExecutor) throws(StoreError) -> DraftFile {
        let number: Int? = drafts.withLock { drafts in
            guard drafts.open < Limits.openDrafts else { return nil }
            drafts.open += 1
            drafts.last += 1
            return drafts.last
        }
        guard let number else { throw .tooManyDrafts }
        return DraftFile(path: "\(path)/\(token)-\(number).part", folder: self, thread: thread)
    }

    /// Ends a draft: removes its temporary name, whether or not its bytes were committed.
    fileprivate func end(_ draft: String) {
        remove(draft)
        drafts.withLock { $0.open -= 1 }
    }

    /// Renames a draft that was committed: the name says where its file belongs.
    fileprivate func keep(_ draft: String, for relative: String) throws(StoreError) -> String {
        let kept = draft.dropLast(Self.ending.count) + "~" + relative.replacing("/", with: "~") + Self.ending
        try disk.rename(draft, to: String(kept))
        drafts.withLock { $0.open -= 1 }
        return String(kept)
    }

    static let ending = ".part"

    private func remove(_ file: String) {
        do {
            try disk.remove(file)
        } catch {
            logger.warning("Cannot remove a temporary file", metadata: ["error": "\(error)"])
        }
    }

    /// 16 hex digits that no other opening has; the first eight are those of the host.
    private static func newToken() -> String {
        hostDigits + hexadecimal(.random(in: .min ... .max))
    }

    /// The digits with which tokens of this host begin.
    static let hostDigits: String = {
        var name = [CChar](repeating: 0, count: 256)
        _ = unsafe gethostname(&name, name.count - 1)
        return hexadecimal(FNV1a.hash(name.map { UInt8(bitPattern: $0) }))
    }()

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// The temporary name of one draft; the file is removed with this object at the latest.
final class DraftFile: Sendable {
    let path: String
    private let folder: DraftFolder
    private let thread: BlockingExecutor
    private let isCleared = Mutex(false)

    init(path: String, folder: DraftFolder, thread: BlockingExecutor) {
        self.path = path
        self.folder = folder
        self.thread = thread
    }

    deinit {
        guard !isCleared.withLock({ $0 }) else { return }
        thread.run { [path, folder] in folder.end(path) }
    }

    /// Keeps the file until the folder of its final name is synced, under a name that says where it belongs.
    ///
    /// - Returns: its path
    func keep(for relative: String) throws(StoreError) -> String {
        let kept = try folder.keep(path, for: relative)
        isCleared.withLock { $0 = true }
        return kept
    }

    /// Removes the file now; on a writer thread.
    func clear() {
        let wasCleared = isCleared.withLock { cleared in
            defer { cleared = true }
            return cleared
        }
        if !wasCleared { folder.end(path) }
    }
}
