import Files
import Synchronization

/// The folders of the archive, made when they are needed and durable when something is put into them.
final class FolderTree: Sendable {
    let root: String
    let disk: Disk<StoreError>
    /// Whether the file system says which bytes are in memory, as local file systems do.
    ///
    /// Other file systems may wait for a network even to open a known file. True until the first file has
    /// been checked.
    let reportsCachedBytes = Atomic(true)
    /// Paths below the root whose names this process has made durable.
    private let durable = Mutex(DurableFolders())

    init(root: String, disk: Disk<StoreError>) {
        self.root = root
        self.disk = disk
    }

    func path(of relative: String) -> String { root + "/" + relative }

    /// Makes the folders on the way to a file below the root and syncs the folders that they lie in.
    ///
    /// They are for the service and its group, that of a secret for the service alone.
    func prepareFolder(ofFile relative: String, isSecret: Bool) throws(StoreError) {
        let folders = Self.folders(above: relative)
        for folder in folders where !isDurable(folder) {
            try disk.makeFolder(path(of: folder), mode: isSecret && folder == folders.last ? 0o700 : 0o750)
            try disk.syncFolder(Self.parent(of: path(of: folder)))
            note(folder)
        }
    }

    /// Gives a file that a crash has left its final name again, unless the name is taken.
    ///
    /// The name is durable once its folder is synced, which is returned.
    func restore(_ draft: String, as relative: String) throws(StoreError) -> String {
        try prepareFolder(ofFile: relative, isSecret: relative.contains("/keys/"))
        _ = try disk.link(draft, to: path(of: relative))
        return Self.parent(of: path(of: relative))
    }

    /// Takes the folders of a file off the list of durable ones, because they are being or were removed.
    func invalidateFolders(ofFile relative: String) {
        let folders = Self.folders(above: relative)
        durable.withLock { $0.remove(folders) }
    }

    /// Takes all folders below one off the list of durable ones.
    func invalidateFolders(below folder: String) {
        durable.withLock { $0.remove(below: folder) }
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// `a`, `a/b` for `a/b/c`.
    private static func folders(above relative: String) -> [String] {
        relative.indices.filter { relative[$0] == "/" }.map { String(relative[..<$0]) }
    }

    private func isDurable(_ folder: String) -> Bool {
        durable.withLock { $0.contains(folder) }
    }

    private func note(_ folder: String) {
        durable.withLock { $0.insert(folder) }
    }
}

/// The folders that were used last, in two generations: those that are in use stay when it is full.
private struct DurableFolders {
    private var newer: Set<String> = []
    private var older: Set<String> = []

    mutating func contains(_ folder: String) -> Bool {
        if newer.contains(folder) { return true }
        guard older.contains(folder) else { return false }
        insert(folder)
        return true
    }

    mutating func insert(_ folder: String) {
        if newer.count >= Limits.durableFolders { (older, newer) = (newer, []) }
        newer.insert(folder)
    }

    mutating func remove(_ folders: [String]) {
        for folder in folders {
            newer.remove(folder)
            older.remove(folder)
        }
    }

    /// Removes a folder and all folders below it, one by one: they are few, and copying the sets costs more.
    mutating func remove(below folder: String) {
        let begin = folder + "/"
        remove([folder] + (newer.filter { $0.hasPrefix(begin) } + older.filter { $0.hasPrefix(begin) }))
    }
}
