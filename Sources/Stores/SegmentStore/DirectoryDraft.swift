import Concurrency
import Digest
import Files
import Glibc
import Timeline

/// A draft as a temporary file in the archive's own file system, written on one of the writer threads.
actor DirectoryDraft: DraftTarget {
    private let tree: FolderTree
    private let place: DraftPlace
    private let thread: BlockingExecutor
    private var file: DescriptorHandle<StoreError>?
    private var hash: SHA256?
    private var byteCount: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(place: DraftPlace, tree: FolderTree, thread: BlockingExecutor) {
        self.place = place
        self.tree = tree
        self.thread = thread
    }

    /// Makes the file.
    func begin() throws(StoreError) {
        hash = try newHash()
        file = try tree.disk.open(place.path, O_CREAT | O_EXCL | O_RDWR, mode: 0o600)
    }

    func append(_ bytes: [UInt8]) throws(StoreError) {
        guard let open = file.take() else { throw .draftEnded }
        do throws(StoreError) {
            try tree.disk.write(bytes, to: open)
            try addToHash(bytes)
        } catch {
            place.clear()
            throw error
        }
        byteCount += Int64(bytes.count)
        file = consume open
    }

    func commit(as key: ArchiveKey) throws(StoreError) -> CommittedObject {
        guard let open = file.take() else { throw .draftEnded }
        defer { place.clear() }
        let path = try key.checkedPath()
        try tree.disk.setMode(key.isSecret ? 0o600 : 0o640, of: open)
        try tree.disk.sync(open)
        let sealed = SealedFile(path: place.path, byteCount: byteCount, digest: try finishHash())
        return try tree.publish(sealed, as: key, path: path)
    }

    private func newHash() throws(StoreError) -> SHA256 {
        do { return try SHA256() } catch { throw .digest("\(error)") }
    }

    private func addToHash(_ bytes: [UInt8]) throws(StoreError) {
        do { try hash?.update(bytes) } catch { throw .digest("\(error)") }
    }

    private func finishHash() throws(StoreError) -> [UInt8] {
        guard let hash = hash.take() else { throw .draftEnded }
        do { return try hash.finish() } catch { throw .digest("\(error)") }
    }
}
