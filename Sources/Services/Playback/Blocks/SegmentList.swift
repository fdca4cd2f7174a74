package import Timeline

/// Segments ordered by start, as slices of blocks.
///
/// A day is some ninety slices instead of a copy of twenty thousand segments.
package struct SegmentList: Sendable {
    /// A slice of a block.
    struct Piece: Sendable {
        let block: Block
        /// Not empty.
        var range: Range<Int>
        /// The position of its first segment in the whole list.
        var position: Int

        var segments: ArraySlice<RecordedSegment> { block.segments[range] }
        var first: RecordedSegment { block.segments[range.lowerBound] }
        var last: RecordedSegment { block.segments[range.upperBound - 1] }
        var isWhole: Bool { range == block.segments.indices }
        var positions: Range<Int> { position..<(position + range.count) }
    }

    private(set) var pieces: [Piece] = []
    package private(set) var count = 0

    /// Reserves space for slices.
    init(capacity: Int = 0) {
        pieces.reserveCapacity(capacity)
    }

    package var isEmpty: Bool { pieces.isEmpty }
    package var first: RecordedSegment? { pieces.first?.first }
    package var last: RecordedSegment? { pieces.last?.last }

    mutating func append(_ block: Block, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        pieces.append(Piece(block: block, range: range, position: count))
        count += range.count
    }

    /// The segments at some positions.
    subscript(positions: Range<Int>) -> SegmentList {
        var list = SegmentList()
        for piece in pieces {
            let part = piece.positions.clamped(to: positions)
            let offset = piece.range.lowerBound - piece.position
            list.append(piece.block, (part.lowerBound + offset)..<(part.upperBound + offset))
        }
        return list
    }

    mutating func append(_ list: SegmentList) {
        for piece in list.pieces { append(piece.block, piece.range) }
    }

    /// The segments that fulfil a condition.
    ///
    /// `judge` decides for a whole slice, or returns nil if each segment has to be checked.
    func filter(
        knowing judge: (Piece) -> Bool?, _ isWanted: (RecordedSegment) -> Bool,
    ) -> SegmentList {
        var list = SegmentList()
        for piece in pieces {
            switch judge(piece) {
            case true?: list.append(piece.block, piece.range)
            case false?: continue
            case nil:
                var begin = piece.range.lowerBound
                for index in piece.range where !isWanted(piece.block.segments[index]) {
                    list.append(piece.block, begin..<index)
                    begin = index + 1
                }
                list.append(piece.block, begin..<piece.range.upperBound)
            }
        }
        return list
    }

    /// The segments that overlap a window.
    func overlapping(_ window: TimeWindow) -> SegmentList {
        filter(knowing: { $0.lies(in: window) }, { $0.window.overlaps(window) })
    }

    /// Whether a segment overlaps a window.
    func overlaps(_ window: TimeWindow) -> Bool {
        pieces.contains { piece in
            piece.lies(in: window) ?? piece.segments.contains { $0.window.overlaps(window) }
        }
    }
}

extension SegmentList {
    func ending(notAfter edge: Instant) -> SegmentList {
        filter(
            knowing: { piece in
                guard piece.block.summary.isOrdered else { return nil }
                if piece.last.end <= edge { return true }
                return piece.first.end > edge ? false : nil
            }, { $0.end <= edge })
    }

    /// The end of what can be listed up to an edge: the edge, or the start of a segment that ends after it.
    func listableEnd(upTo edge: Instant) -> Instant {
        guard let last = backwards.first(where: { $0.start < edge }), last.end > edge else { return edge }
        return last.start
    }

    func ending(after edge: Instant) -> SegmentList {
        filter(
            knowing: { piece in
                guard piece.block.summary.isOrdered else { return nil }
                if piece.first.end > edge { return true }
                return piece.last.end <= edge ? false : nil
            }, { $0.end > edge })
    }

    /// The segments after the last one whose format fulfils a condition.
    func afterLast(_ isOther: (Int32) -> Bool) -> SegmentList {
        for piece in pieces.reversed() where piece.formatIDs.contains(where: isOther) {
            let index = piece.segments.lastIndex { isOther($0.formatID) }
            guard let index else { continue }
            return self[(piece.position + index + 1 - piece.range.lowerBound)..<count]
        }
        return self
    }

    /// The segments in reverse order.
    var backwards: some Sequence<RecordedSegment> {
        pieces.reversed().lazy.flatMap { $0.segments.reversed() }
    }

    /// The formats of the segments.
    var formatIDs: Set<Int32> {
        pieces.reduce(into: []) { $0.formUnion($1.formatIDs) }
    }

    /// The formats in the order of their first segments.
    var formatsInOrder: [Int32] {
        var known: Set<Int32> = []
        var ids: [Int32] = []
        for piece in pieces {
            let isUniform = piece.block.summary.isUniform
            for segment in isUniform ? piece.segments.prefix(1) : piece.segments
            where ids.last != segment.formatID && known.insert(segment.formatID).inserted {
                ids.append(segment.formatID)
            }
        }
        return ids
    }

    /// Whether every segment starts with an independent frame.
    var isIndependent: Bool {
        pieces.allSatisfy { piece in
            piece.block.summary.isIndependent || piece.segments.allSatisfy { $0.flags.contains(.independent) }
        }
    }
}

extension SegmentList.Piece {
    var formatIDs: Set<Int32> {
        block.summary.isUniform ? [first.formatID] : Set(segments.map(\.formatID))
    }

    /// Whether the whole slice overlaps a window, or nothing of it; nil if each segment has to be checked.
    func lies(in window: TimeWindow) -> Bool? {
        guard block.summary.isOrdered else { return nil }
        if last.end <= window.begin || first.start >= window.end { return false }
        return first.end > window.begin && last.start < window.end ? true : nil
    }
}

extension SegmentList: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate var pieces: ArraySlice<Piece>
        fileprivate var segments: ArraySlice<RecordedSegment> = []

        package mutating func next() -> RecordedSegment? {
            if let segment = segments.popFirst() { return segment }
            guard let piece = pieces.popFirst() else { return nil }
            segments = piece.segments
            return segments.popFirst()
        }
    }

    package func makeIterator() -> Iterator { Iterator(pieces: pieces[...]) }
    package var underestimatedCount: Int { count }
}
