import Concurrency
import Files
package import Logging
package import Timeline

/// The archive as a tree of files that a person can find, play and rescue.
///
/// `{root}/{channel}/{rendition}/{yyyy-mm-dd}/{hh}/{start_ms}.{ext}`; names never change their bytes.
package final class DirectorySegmentStore: SegmentStore {
    private let tree: FolderTree
    /// Nil if the archive is only read.
    private let drafts: DraftFolder?
    private let names: NameSync?
    private let writers = BlockingExecutors(label: "segment-writer", count: Limits.writerThreads)
    private let readers = BlockingExecutors(label: "segment-stream", count: Limits.readerThreads)
    private let files: OpenFiles
    private let readings: ArchiveReading
    private let deletions: ArchiveDeletion

    private init(tree: FolderTree, drafts: DraftFolder?, names: NameSync?, openFiles: Int) {
        self.names = names
        files = OpenFiles(limit: openFiles)
        self.tree = tree
        self.drafts = drafts
        readings = ArchiveReading(
            tree: tree, files: files, thread: BlockingExecutor(label: "segment-reader"))
        deletions = ArchiveDeletion(tree: tree)
    }

    /// Opens an archive, which is made when it is not there, and removes the drafts of processes that have
    /// died.
    ///
    /// Waits for the disk: for start-up only. At most `openFiles` stay open for their next request, each of
    /// which may take two descriptors.
    package static func open(
        _ path: String, openFiles: Int = Limits.openFiles, logger: Logger,
    ) throws(StoreError) -> DirectorySegmentStore {
        try open(path, disk: Disk(), openFiles: openFiles, logger: logger, namePause: Limits.namePause)
    }

    /// Opens an archive for reading, also one that is not there yet: nothing in it is changed or removed.
    package static func openForReading(
        _ path: String, openFiles: Int = Limits.openFiles,
    ) -> DirectorySegmentStore {
        let root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        return DirectorySegmentStore(
            tree: FolderTree(root: root, disk: Disk()), drafts: nil, names: nil, openFiles: openFiles)
    }

    /// Without a pause, names are not synced together, but each folder at once.
    static func open(
        _ path: String, disk: Disk<StoreError>, openFiles: Int = Limits.openFiles, logger: Logger,
        namePause: Duration? = nil, folderInterval: Duration = Limits.folderSyncInterval,
    ) throws(StoreError) -> DirectorySegmentStore {
        let tree = FolderTree(root: try disk.makeFolders(path), disk: disk)
        let drafts = try DraftFolder.open(tree.drafts, disk: disk, logger: logger, tree: tree)
        if namePause != nil { try disk.syncFolder(tree.root) }
        let names = namePause.map {
            NameSync(
                drafts: drafts.path, tree: tree, pause: $0, folderInterval: folderInterval, logger: logger)
        }
        return DirectorySegmentStore(tree: tree, drafts: drafts, names: names, openFiles: openFiles)
    }

    package func makeDraft() async throws(StoreError) -> SegmentDraft {
        let thread = writers.next()
        let place = try writable().makeDraftFile(thread: thread)
        let draft = DirectoryDraft(place: place, tree: tree, names: names, thread: thread)
        try await draft.begin()
        return SegmentDraft(draft)
    }

    package func source(
        of key: ArchiveKey, range: Range<UInt64>?,
    ) async throws(StoreError) -> ObjectSource {
        if let file = files.file(key) { return source(file).with(range: range) }
        let reading = ArchiveReading(tree: tree, files: files, thread: readers.next())
        return source(try await reading.open(key)).with(range: range)
    }

    /// Uses a file that is open, or that the kernel opens without waiting, if its bytes are in memory.
    package func sourceWithoutBlocking(of key: ArchiveKey) throws(StoreError) -> ObjectSource? {
        guard let file = try fileWithoutBlocking(key), file.isInMemory(in: files.round) else { return nil }
        return source(file)
    }

    private func fileWithoutBlocking(_ key: ArchiveKey) throws(StoreError) -> ArchiveFile? {
        if let file = files.file(key) { return file }
        guard let file = try tree.openWithoutBlocking(key) else { return nil }
        files.keep(file, for: key)
        return file
    }

    private func source(_ file: ArchiveFile) -> ObjectSource {
        ObjectSource(
            ArchiveContent(file: file, readers: readers, round: files.round), byteCount: file.byteCount)
    }

    package func contains(_ key: ArchiveKey) async throws(StoreError) -> Bool {
        try await readings.contains(key)
    }

    package func segments(of hour: ArchiveHour) async throws(StoreError) -> [SegmentName] {
        try await readings.segments(of: hour)
    }

    package func space() async throws(StoreError) -> StorageSpace? {
        try await readings.space()
    }

    package func delete(
        _ segments: [SegmentName], of hour: ArchiveHour,
    ) async throws(StoreError) -> Deleted {
        _ = try writable()
        defer { for name in segments { files.close(.segment(hour.channel, hour.rendition, name)) } }
        return try await deletions.delete(segments, of: hour)
    }

    package func delete(_ key: ArchiveKey) async throws(StoreError) {
        _ = try writable()
        defer { files.close(key) }
        try await deletions.delete(key)
    }

    private func writable() throws(StoreError) -> DraftFolder {
        guard let drafts else { throw .readOnly }
        return drafts
    }
}
