/// The pieces of a media file that are there: in order, none of them empty.
///
/// Two of them overlap only where a process was killed while it joined them.
struct FilePieces: Sendable, Equatable {
    struct Piece: Sendable, Equatable {
        /// The place of its first byte in the file.
        var offset: Int64
        var byteCount: Int64

        var end: Int64 { offset + byteCount }
    }

    private(set) var all: [Piece] = []

    /// Bytes of the file that are there.
    var byteCount: Int64 {
        var (count, end): (Int64, Int64) = (0, 0)
        for piece in all where piece.end > end {
            count += piece.end - max(piece.offset, end)
            end = piece.end
        }
        return count
    }

    /// The piece that has a byte of the file.
    func piece(with byte: Int64) -> Piece? { all.first { $0.offset <= byte && byte < $0.end } }

    /// The piece that a byte can be added to.
    func piece(endingAt offset: Int64) -> Piece? { all.first { $0.end == offset } }

    /// The first gap at or after a place; nil when there is none.
    ///
    /// `total` is the length of the file, nil while it is unknown.
    func gap(from place: Int64, in total: Int64?) -> FileGap? {
        var offset = place
        for piece in all where piece.offset <= offset { offset = max(offset, piece.end) }
        if let total, offset >= total { return nil }
        return FileGap(offset: offset, end: all.first { $0.offset > offset }?.offset ?? total)
    }

    /// Adds bytes to the piece that ends there, or as a new piece.
    mutating func add(_ byteCount: Int64, at offset: Int64) {
        if let index = all.firstIndex(where: { $0.end == offset }) {
            all[index].byteCount += byteCount
        } else {
            insert(Piece(offset: offset, byteCount: byteCount))
        }
    }

    /// Adds a piece of its own, unless it is empty.
    mutating func insert(_ piece: Piece) {
        guard piece.byteCount > 0 else { return }
        all.insert(piece, at: all.firstIndex { $0.offset > piece.offset } ?? all.endIndex)
    }

    /// Makes the second piece a part of the first, which it follows at once or overlaps.
    mutating func joinSecond() {
        guard all.count > 1 else { return }
        all[0].byteCount = max(all[0].end, all[1].end) - all[0].offset
        all.remove(at: 1)
    }
}

/// Bytes of a file that are missing; `end` is nil where the length of the file is unknown.
struct FileGap: Sendable, Equatable {
    var offset: Int64
    var end: Int64?
}
