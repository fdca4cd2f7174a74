import Digest
import Synchronization
import Timeline

/// A draft in memory.
actor MemoryDraft: DraftTarget {
    private let objects: MemoryObjects
    private var bytes: [UInt8]? = []

    nonisolated var executor: (any TaskExecutor)? { nil }

    init(_ objects: MemoryObjects) {
        self.objects = objects
    }

    func append(_ more: [UInt8]) throws(StoreError) {
        guard bytes != nil else { throw .draftEnded }
        bytes?.append(contentsOf: more)
    }

    func commit(as key: ArchiveKey) throws(StoreError) -> CommittedObject {
        guard let bytes = bytes.take() else { throw .draftEnded }
        let digest: [UInt8]
        do { digest = try SHA256.digest(of: bytes) } catch { throw .digest("\(error)") }
        var key = key
        for _ in 0..<Limits.revisions {
            if let wasThere = try objects.place(bytes, at: key) {
                return CommittedObject(
                    key: key, byteCount: Int64(bytes.count), digest: digest, wasThere: wasThere)
            }
            guard let next = key.nextRevision else { break }
            key = next
        }
        throw .tooManyRevisions(key)
    }
}

extension MemoryObjects {
    /// Stores bytes under a name; returns whether they were there before, nil if other bytes are there.
    func place(_ bytes: [UInt8], at key: ArchiveKey) throws(StoreError) -> Bool? {
        let path = try key.checkedPath()
        return table.withLock { table in
            guard let present = table[path] else {
                table[path] = bytes
                return false
            }
            return key.isNamedByDigest || present == bytes ? true : nil
        }
    }
}
