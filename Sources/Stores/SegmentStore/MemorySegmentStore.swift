import Synchronization
package import Timeline

/// An archive in memory, for tests.
package final class MemorySegmentStore: SegmentStore {
    private let objects = MemoryObjects()
    private let limit: StorageSpace?
    private let answersWithoutBlocking: Bool

    /// Makes an empty store; one that does not answer at once is used like a store on a network.
    package init(
        space: StorageSpace? = StorageSpace(totalBytes: 1 << 40, availableBytes: 1 << 40),
        answersWithoutBlocking: Bool = true,
    ) {
        limit = space
        self.answersWithoutBlocking = answersWithoutBlocking
    }

    package func makeDraft() async throws(StoreError) -> SegmentDraft {
        SegmentDraft(MemoryDraft(objects))
    }

    package func source(
        of key: ArchiveKey, range: Range<UInt64>?,
    ) async throws(StoreError) -> ObjectSource {
        try source(of: key).with(range: range)
    }

    package func sourceWithoutBlocking(of key: ArchiveKey) throws(StoreError) -> ObjectSource? {
        answersWithoutBlocking ? try source(of: key) : nil
    }

    private func source(of key: ArchiveKey) throws(StoreError) -> ObjectSource {
        let bytes = try objects.bytes(of: key)
        return ObjectSource(MemoryContent(bytes: bytes), byteCount: UInt64(bytes.count))
    }

    package func contains(_ key: ArchiveKey) async throws(StoreError) -> Bool {
        let path = try key.checkedPath()
        return objects.table.withLock { $0[path] != nil }
    }

    package func delete(_ key: ArchiveKey) async throws(StoreError) {
        let path = try key.checkedPath()
        _ = objects.table.withLock { $0.removeValue(forKey: path) }
    }

    package func segments(of hour: ArchiveHour) async throws(StoreError) -> [SegmentName] {
        let folder = hour.path + "/"
        return objects.table.withLock { table in
            table.keys.filter { $0.hasPrefix(folder) }.compactMap {
                SegmentName(String($0.dropFirst(folder.count)))
            }
        }
    }

    package func delete(
        _ segments: [SegmentName], of hour: ArchiveHour,
    ) async throws(StoreError) -> Deleted {
        objects.table.withLock { table in
            var deleted = Deleted()
            for name in segments {
                guard let bytes = table.removeValue(forKey: "\(hour.path)/\(name)") else { continue }
                deleted.files += 1
                deleted.bytes += Int64(bytes.count)
            }
            return deleted
        }
    }

    package func space() async throws(StoreError) -> StorageSpace? {
        guard let limit else { return nil }
        let used = objects.table.withLock { $0.values.reduce(0) { $0 + Int64($1.count) } }
        return StorageSpace(
            totalBytes: limit.totalBytes, availableBytes: max(0, limit.availableBytes - used),
            availableFiles: limit.availableFiles)
    }
}

/// The objects by the paths of their keys.
final class MemoryObjects: Sendable {
    let table = Mutex<[String: [UInt8]]>([:])

    func bytes(of key: ArchiveKey) throws(StoreError) -> [UInt8] {
        let path = try key.checkedPath()
        guard let bytes = table.withLock({ $0[path] }) else { throw .notFound(key) }
        return bytes
    }
}
