import SegmentStore
import Timeline

/// The bytes of one segment, a piece at a time.
protocol SegmentBody: AnyObject {
    /// The next bytes; nil at the end.
    func next() async throws -> [UInt8]?
}

/// Bytes that the archive holds already.
///
/// Used by one task.
final class KeptBody: SegmentBody {
    private let key: ArchiveKey
    private let store: any SegmentStore
    private var offset: Int64 = 0

    init(_ key: ArchiveKey, in store: any SegmentStore) {
        self.key = key
        self.store = store
    }

    func next() async throws -> [UInt8]? {
        let piece = try await store.read(key, at: offset, upTo: Limits.pieceBytes)
        offset += Int64(piece.count)
        return piece.isEmpty ? nil : piece
    }
}
