import Concurrency
import Files
import Timeline

/// Answers that wait for the disk, on a thread beside the writers.
actor ArchiveReading {
    private let tree: FolderTree
    private let files: OpenFiles
    private let thread: BlockingExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(tree: FolderTree, files: OpenFiles, thread: BlockingExecutor) {
        self.tree = tree
        self.files = files
        self.thread = thread
    }

    /// Opens an object, and learns whether the next one may be opened at once.
    func open(_ key: ArchiveKey) throws(StoreError) -> ArchiveFile {
        if let known = files.file(key) { return known }
        let file = try tree.open(key)
        _ = file.isInMemory(in: files.round)
        files.keep(file, for: key)
        return file
    }

    func contains(_ key: ArchiveKey) throws(StoreError) -> Bool {
        do {
            _ = try tree.open(key)
            return true
        } catch .notFound {
            return false
        }
    }

    func segments(of hour: ArchiveHour) throws(StoreError) -> [SegmentName] {
        try tree.disk.list(tree.path(of: hour.path)).compactMap { SegmentName($0) }
    }

    /// Readiness asks every second, so that old files are closed here too.
    func space() throws(StoreError) -> StorageSpace {
        files.closeOld()
        let space = try tree.disk.space(at: tree.root)
        return StorageSpace(
            totalBytes: space.totalBytes, availableBytes: space.availableBytes,
            availableFiles: space.availableFiles)
    }
}

extension ArchiveHour {
    /// The folder of the day, below the root.
    var dayPath: String { "\(channel)/\(rendition)/\(instant.dateText)" }

    /// The folder of the hour, below the root.
    var path: String { "\(dayPath)/\(instant.hourText)" }
}
