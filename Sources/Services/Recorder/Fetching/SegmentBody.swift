import SegmentStore
import Timeline

/// The bytes of one segment, a piece at a time.
protocol SegmentBody: AnyObject {
    /// The next bytes; nil at the end.
    func next() async throws -> [UInt8]?
    /// Why the body ended too early; nil if it did not, or if `next` throws in that case.
    var cut: FetchFailure? { get }
}

extension SegmentBody {
    var cut: FetchFailure? { nil }
}

/// Bytes that the archive holds already.
///
/// Used by one task.
final class ArchivedBody: SegmentBody {
    private let key: ArchiveKey
    private let store: any SegmentStore
    private var stream: ObjectStream?

    init(_ key: ArchiveKey, in store: any SegmentStore) {
        self.key = key
        self.store = store
    }

    func next() async throws -> [UInt8]? {
        let opened = if let stream { stream } else { try await store.source(of: key, range: nil).stream() }
        stream = opened
        return try await opened.next(limit: Limits.pieceBytes)
    }
}
