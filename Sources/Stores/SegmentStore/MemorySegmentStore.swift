package import HTTP
import Synchronization
package import Timeline

/// An archive in memory, for tests.
package final class MemorySegmentStore: SegmentStore {
    private let objects = MemoryObjects()
    private let room: DiskSpace

    package init(space: DiskSpace = DiskSpace(totalBytes: 1 << 40, availableBytes: 1 << 40)) {
        room = space
    }

    package func makeDraft() async throws(StoreError) -> SegmentDraft {
        SegmentDraft(MemoryDraft(objects))
    }

    package func open(_ key: ArchiveKey) throws(StoreError) -> any OpenFile {
        try MemoryFile(objects.bytes(of: key))
    }

    package func read(_ key: ArchiveKey) async throws(StoreError) -> [UInt8] {
        let bytes = try objects.bytes(of: key)
        guard bytes.count <= Limits.wholeObjectByteCount else {
            throw .tooLarge(key, byteCount: Int64(bytes.count))
        }
        return bytes
    }

    package func read(
        _ key: ArchiveKey, at offset: Int64, upTo count: Int,
    ) async throws(StoreError) -> [UInt8] {
        Array(try objects.bytes(of: key).dropFirst(Int(offset)).prefix(count))
    }

    package func contains(_ key: ArchiveKey) async throws(StoreError) -> Bool {
        let path = try key.checkedPath()
        return objects.table.withLock { $0[path] != nil }
    }

    package func delete(_ key: ArchiveKey) async throws(StoreError) {
        let path = try key.checkedPath()
        _ = objects.table.withLock { $0.removeValue(forKey: path) }
    }

    package func deleteChannel(_ id: ChannelID) async throws(StoreError) {
        objects.table.withLock { $0 = $0.filter { !$0.key.hasPrefix("\(id)/") } }
    }

    package func deleteHour(
        channel: ChannelID, rendition: RenditionID, hour: Instant, before: Instant, keeping: Set<SegmentName>,
    ) async throws(StoreError) -> Deleted {
        let folder = "\(channel)/\(rendition)/\(hour.dateText)/\(hour.hourText)/"
        return objects.table.withLock { table in
            var deleted = Deleted()
            for (path, bytes) in table where path.hasPrefix(folder) {
                guard let name = SegmentName(String(path.dropFirst(folder.count))), !keeping.contains(name),
                    Instant(milliseconds: name.startMilliseconds) < before
                else { continue }
                table[path] = nil
                deleted.files += 1
                deleted.bytes += Int64(bytes.count)
            }
            return deleted
        }
    }

    package func space() async throws(StoreError) -> DiskSpace {
        let used = objects.table.withLock { $0.values.reduce(0) { $0 + Int64($1.count) } }
        return DiskSpace(totalBytes: room.totalBytes, availableBytes: max(0, room.availableBytes - used))
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
