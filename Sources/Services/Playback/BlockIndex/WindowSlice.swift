import Timeline

/// The segments of a window in consecutive blocks of one run: where the first block begins and the last ends.
struct WindowSlice: Sendable {
    let blockSpan: BlockSpan
    let slots: ArraySlice<BlockSpan.Slot>
    private let head: Block
    private let tail: Block
    /// The combined times of the blocks between the first and the last one.
    private let between: SlotTimes
    /// The position of the first segment in the first block, and the end position in the last block.
    let begin: Int
    let end: Int

    /// Nil if no segment overlaps the window.
    init?(_ span: BlockSpan, _ range: ClosedRange<Int>, _ between: SlotTimes, of window: TimeWindow) {
        let slots = span.slots[range]
        let (head, tail) = (slots[range.lowerBound].block, slots[range.upperBound].block)
        begin = head.firstRow(endingAfter: window.begin)
        end = tail.firstRow(from: window.end)
        guard begin < head.segments.count, end > 0, slots.count > 1 || begin < end else { return nil }
        (blockSpan, self.slots, self.between) = (span, slots, between)
        (self.head, self.tail) = (head, tail)
    }

    var first: RecordedSegment { head.segments[begin] }
    var last: RecordedSegment { tail.segments[end - 1] }

    /// The format of the segments: a run has one.
    var format: SegmentFormat? { head.formats[formatID] }
    var formatID: Int32 { head.segments[begin].formatID }

    /// Notes a use of the blocks, at a second.
    func noteUse(at second: Int64) {
        blockSpan.uses.note(slots, at: second)
    }

    /// The positions of the segments in one of the blocks.
    func rows(_ index: Int, _ block: Block) -> Range<Int> {
        (index == slots.startIndex ? begin : 0)..<(index == slots.endIndex - 1 ? end : block.segments.count)
    }

    /// The positions of the blocks that the window may cut: the first and the last one.
    private var ends: StrideThrough<Int> {
        stride(from: slots.startIndex, through: slots.endIndex - 1, by: max(1, slots.count - 1))
    }

    /// The slots, without the first or last one if the window has none of its segments with key frames.
    var slotsWithKeyFrames: ArraySlice<BlockSpan.Slot> {
        var own = slots
        if !hasKeyFrames(slots.endIndex - 1) { own = own.dropLast() }
        if !own.isEmpty, slots.count > 1, !hasKeyFrames(slots.startIndex) { own = own.dropFirst() }
        return own
    }

    private func hasKeyFrames(_ index: Int) -> Bool {
        let block = slots[index].block
        let rows = rows(index, block)
        if rows.count == block.segments.count || !block.summary.hasKeyFrames {
            return block.summary.hasKeyFrames
        }
        return block.segments[rows].contains { $0.flags.contains(.hasKeyFrames) }
    }

    /// The larger of `known` and the longest media duration of a segment, microseconds.
    func longest(above known: Int64) -> Int64 {
        var longest = max(known, between.longest)
        for index in ends {
            guard slots[index].longest > longest else { continue }
            let block = slots[index].block
            let rows = rows(index, block)
            longest =
                rows.count == block.segments.count
                ? block.summary.longest
                : block.segments[rows].reduce(longest) { max($0, $1.mediaDuration) }
        }
        return longest
    }

    /// Whether every segment starts with an independent frame.
    var isIndependent: Bool {
        between.isIndependent
            && ends.allSatisfy { index in
                let block = slots[index].block
                return block.summary.isIndependent
                    || block.segments[rows(index, block)].allSatisfy { $0.flags.contains(.independent) }
            }
    }

    /// Whether the dates that players compute from the first one stay accurate to the end.
    var keepsDate: Bool {
        guard let slot = slots.first else { return false }
        var own = slot.drift.lowerBound - head.summary.drift.lowerBound
        // If no start in the block deviates, there is nothing to sum up.
        if head.summary.drift != 0...0 {
            own += head.segments[begin].start.microseconds - slot.begin
            for row in 0..<begin { own -= head.segments[row].mediaDuration }
        }
        var all = between
        for index in ends { all.add(SlotTimes(slots[index])) }
        return all.lowest - own >= -Limits.dateTolerance && all.highest - own <= Limits.dateTolerance
    }

    /// Microseconds of a window that no segment covers; differences below a millisecond do not count.
    func missing(in window: TimeWindow) -> Int64 {
        var missing: Int64 = 0
        let before = first.start - window.begin
        if before > Limits.timeTolerance { missing += before }
        missing += between.missing
        for index in ends {
            if index > slots.startIndex { missing += slots[index].pause }
            guard slots[index].pauses > 0 else { continue }
            missing += slots[index].block.missing(in: rows(index, slots[index].block))
        }
        let after = window.end - last.end
        return after > Limits.timeTolerance ? missing + after : missing
    }
}

extension Block {
    /// The pauses between some segments that count as missing, microseconds.
    fileprivate func missing(in rows: Range<Int>) -> Int64 {
        if rows.count == segments.count { return summary.missing }
        var missing: Int64 = 0
        for row in rows.dropFirst() {
            let pause = segments[row].start - segments[row - 1].end
            if pause > Limits.timeTolerance { missing += pause }
        }
        return missing
    }
}

extension Block {
    /// The position of the first segment that ends after an instant, in an ordered block.
    fileprivate func firstRow(endingAfter instant: Instant) -> Int {
        firstRow(near: instant) { segments[$0].start + segments[$0].duration > instant }
    }

    /// The position of the first segment that begins at or after an instant, in an ordered block.
    fileprivate func firstRow(from instant: Instant) -> Int {
        firstRow(near: instant) { segments[$0].start >= instant }
    }

    /// The first row for which `isFound` is true; it must be true for all later rows, too.
    ///
    /// Segments have about the same length, so the search begins at the row that is proportional to the
    /// instant.
    private func firstRow(near instant: Instant, where isFound: (Int) -> Bool) -> Int {
        guard let first = segments.first?.start else { return 0 }
        let share = Double(instant - first) / Double(max(summary.duration, 1))
        let guess = Int(min(max(share, 0), 1) * Double(segments.count))
        return segments.indices.first(near: guess, where: isFound)
    }
}
