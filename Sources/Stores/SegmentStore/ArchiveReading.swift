import Files
import Timeline

/// Answers that wait for the disk, on a thread of their own beside the writers.
actor ArchiveReading {
    private let tree: FolderTree
    private let thread = WriterThread(label: "segment-reader")

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(tree: FolderTree) {
        self.tree = tree
    }

    func read(_ key: ArchiveKey) throws(StoreError) -> [UInt8] {
        let file = try tree.open(key)
        guard file.byteCount <= UInt64(Limits.wholeObjectByteCount) else {
            throw .tooLarge(key, byteCount: Int64(clamping: file.byteCount))
        }
        return try file.read(at: 0, upTo: Int(file.byteCount))
    }

    func read(_ key: ArchiveKey, at offset: Int64, upTo count: Int) throws(StoreError) -> [UInt8] {
        try tree.open(key).read(at: offset, upTo: count)
    }

    func contains(_ key: ArchiveKey) throws(StoreError) -> Bool {
        do {
            _ = try tree.open(key)
            return true
        } catch .notFound {
            return false
        }
    }

    func space() throws(StoreError) -> DiskSpace {
        let room = try tree.disk.space(at: tree.root)
        return DiskSpace(totalBytes: room.total, availableBytes: room.available)
    }
}
