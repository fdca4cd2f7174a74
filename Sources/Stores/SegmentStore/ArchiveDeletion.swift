import Concurrency
import Files
import Timeline

/// Deletions, on a thread of their own: an hour of thousands of files does not delay writers and readers.
actor ArchiveDeletion {
    private let tree: FolderTree
    private let thread = BlockingExecutor(label: "segment-deleter")

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(tree: FolderTree) {
        self.tree = tree
    }

    func delete(_ key: ArchiveKey) throws(StoreError) {
        let path = try key.checkedPath()
        try removeDrafts(of: [path])
        try tree.disk.remove(tree.path(of: path))
    }

    /// Deletes segments of an hour, then its folders if they are empty: a file that a person has put there
    /// stays.
    func delete(_ segments: [SegmentName], of hour: ArchiveHour) throws(StoreError) -> Deleted {
        var deleted = Deleted()
        let paths = segments.map { "\(hour.path)/\($0)" }
        try removeDrafts(of: paths)
        for path in paths {
            guard let bytes = try remove(tree.path(of: path)) else { continue }
            deleted.files += 1
            deleted.bytes += bytes
        }
        try removeEmptyFolders([hour.path, hour.dayPath])
        return deleted
    }

    /// Removes the drafts of files before the files; after a failure in between, the next attempt goes on.
    ///
    /// Only a file with a second name (hard link) has a draft.
    private func removeDrafts(of paths: [String]) throws(StoreError) {
        var named: Set<String> = []
        for path in paths {
            let count = try tree.disk.nameCount(of: tree.path(of: path))
            if let count, count > 1 { named.insert(path) }
        }
        if !named.isEmpty { try tree.removeDrafts { named.contains($0) } }
    }

    /// Removes a file; its length in bytes, nil when it is gone already.
    private func remove(_ path: String) throws(StoreError) -> Int64? {
        let byteCount = try tree.disk.byteCount(of: path)
        return try tree.disk.remove(path) ? byteCount ?? 0 : nil
    }

    /// Removes folders that lie in each other, inner first, as far as they are empty.
    private func removeEmptyFolders(_ folders: [String]) throws(StoreError) {
        for folder in folders {
            tree.invalidateFolders(below: folder)
            guard try tree.disk.removeEmptyFolder(tree.path(of: folder)) else { return }
        }
    }
}
