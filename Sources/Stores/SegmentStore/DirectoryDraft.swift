import Concurrency
import Digest
import Files
import Glibc
import Timeline

/// A draft as a temporary file in the archive's own file system, written on one of the writer threads.
actor DirectoryDraft: DraftTarget {
    private let tree: FolderTree
    private let place: DraftFile
    private let thread: BlockingExecutor
    /// Nil if each folder is synced at once.
    private let names: NameSync?
    private var file: DescriptorHandle<StoreError>?
    private var hash: SHA256?
    private var byteCount: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    nonisolated var executor: (any TaskExecutor)? { thread }

    init(place: DraftFile, tree: FolderTree, names: NameSync?, thread: BlockingExecutor) {
        self.names = names
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

    func commit(as key: ArchiveKey) async throws(StoreError) -> CommittedObject {
        guard let open = file.take() else { throw .draftEnded }
        defer { place.clear() }
        let path = try key.checkedPath()
        try tree.disk.setMode(key.isSecret ? 0o600 : 0o640, of: open)
        try tree.disk.sync(open)
        let sealed = SealedFile(path: place.path, byteCount: byteCount, digest: try finishHash())
        let object = try tree.publish(sealed, as: key, path: path, isSynced: names == nil)
        if let names, !object.wasThere { try await makeDurable(object, by: names) }
        return object
    }

    /// Makes a final name durable: the draft's name is changed to contain it, and that name is synced.
    private func makeDurable(_ object: CommittedObject, by names: NameSync) async throws(StoreError) {
        let path = try object.key.checkedPath()
        let name = tree.path(of: path)
        do throws(StoreError) {
            let draft = try place.keep(for: path)
            do throws(StoreError) {
                try await names.place(draft, in: FolderTree.parent(of: name))
            } catch {
                try tree.disk.remove(draft)
                throw error
            }
        } catch {
            try tree.removeNotDurable(name)
            throw error
        }
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
