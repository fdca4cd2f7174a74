import Files
import Glibc
import Logging
import Timeline

/// Deletions, on a thread of their own: an hour of thousands of files holds up nobody who writes or reads.
actor ArchiveDeletion {
    private let tree: FolderTree
    private let logger: Logger
    private let thread = WriterThread(label: "segment-deleter")

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(tree: FolderTree, logger: Logger) {
        self.tree = tree
        self.logger = logger
    }

    func delete(_ key: ArchiveKey) throws(StoreError) {
        try tree.disk.remove(tree.path(of: key.checkedPath()))
    }

    /// Deletes the segments of an hour except those to keep, then the folders that are empty.
    ///
    /// Files that are no segments stay: nobody but a person has put them there.
    func deleteHour(
        channel: ChannelID, rendition: RenditionID, hour: Instant, before: Instant, keeping: Set<SegmentName>,
    ) throws(StoreError) -> Deleted {
        let day = "\(channel)/\(rendition)/\(hour.dateText)"
        let folder = "\(day)/\(hour.hourText)"
        var deleted = Deleted()
        for name in try tree.disk.list(tree.path(of: folder)) {
            guard let segment = SegmentName(name), !keeping.contains(segment),
                Instant(milliseconds: segment.startMilliseconds) < before
            else { continue }
            guard let bytes = try remove(tree.path(of: "\(folder)/\(name)")) else { continue }
            deleted.files += 1
            deleted.bytes += bytes
        }
        try removeEmptyFolders([folder, day])
        return deleted
    }

    func deleteChannel(_ id: ChannelID) throws(StoreError) {
        tree.forgetFolders(below: id.text)
        for _ in 1..<Limits.placements {
            if try removeTree(tree.path(of: id.text), depth: 0) { return }
        }
        guard try removeTree(tree.path(of: id.text), depth: 0) else {
            throw .system(.remove, path: tree.path(of: id.text), number: ENOTEMPTY)
        }
    }

    /// Removes a file; its length in bytes, nil when it is gone already.
    private func remove(_ path: String) throws(StoreError) -> Int64? {
        let byteCount = try tree.disk.byteCount(of: path)
        return try tree.disk.remove(path) ? byteCount ?? 0 : nil
    }

    /// Removes folders that lie in each other, inner first, as far as they are empty.
    private func removeEmptyFolders(_ folders: [String]) throws(StoreError) {
        for folder in folders {
            tree.forgetFolders(below: folder)
            guard try tree.disk.removeEmptyFolder(tree.path(of: folder)) else { return }
        }
    }

    /// Removes a folder and all in it, links as such; answers whether it is gone, as others may go on writing.
    private func removeTree(_ path: String, depth: Int) throws(StoreError) -> Bool {
        guard depth < Limits.folderDepth else {
            throw .system(.remove, path: path, number: ELOOP)
        }
        for name in try tree.disk.list(path) {
            let entry = path + "/" + name
            do throws(StoreError) {
                try tree.disk.remove(entry)
            } catch .system(_, _, EISDIR) {
                _ = try removeTree(entry, depth: depth + 1)
            }
        }
        return try tree.disk.removeEmptyFolder(path)
    }
}
