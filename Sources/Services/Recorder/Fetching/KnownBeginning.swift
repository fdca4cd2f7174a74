import SegmentStore

/// Compares the bytes of a segment with its beginning, which an earlier transfer has brought.
///
/// An encoder that was started again may use the name of the segment for another one. Used by one task.
final class KnownBeginning {
    private let stored: ArchivedBody
    /// What was read of the stored bytes, and is still to be compared.
    private var known: ArraySlice<UInt8> = []
    private var left: Int64

    private let acceptsOthers: Bool
    /// Whether the bytes differ from those of the beginning.
    private(set) var isOther = false

    init(_ beginning: IncompleteSegment.Beginning, in store: any SegmentStore, acceptsOthers: Bool) {
        stored = ArchivedBody(beginning.key, in: store)
        left = beginning.byteCount
        self.acceptsOthers = acceptsOthers
    }

    /// Compares the next bytes that are to be stored; throws at the first difference, unless it is accepted.
    func check(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while left > 0, !rest.isEmpty {
            if known.isEmpty {
                guard let next = try await stored.next() else { return left = 0 }
                known = next[...]
            }
            let count = min(known.count, rest.count, Int(clamping: left))
            guard known.prefix(count) == rest.prefix(count) else {
                guard acceptsOthers else { throw FetchFailure.otherBeginning }
                (isOther, left) = (true, 0)
                return
            }
            known.removeFirst(count)
            rest.removeFirst(count)
            left -= Int64(count)
        }
    }
}
