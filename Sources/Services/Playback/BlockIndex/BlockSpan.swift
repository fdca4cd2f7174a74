import Catalogue
import Timeline

/// Blocks of one rendition in consecutive quarters, all in memory, with what a window needs of them as
/// numbers.
final class BlockSpan: Sendable {
    /// A quarter of an hour; all times are microseconds since 1970.
    struct Slot: Sendable {
        let block: Block
        /// The begin of the first segment and the latest end of any; an empty slot has nothing between them.
        var begin = Int64.max
        var end = Int64.min
        /// The run that the slot belongs to, nil if its segments cannot be listed by arithmetic.
        var run: Int?
        /// The longest media of a segment.
        var longest: Int64 = 0
        /// How far its starts are from the begin of the run plus the media since then.
        var drift: ClosedRange<Int64> = 0...0
        /// The pause before its first segment, if it counts as missing, and those between its segments.
        var pause: Int64 = 0
        var pauses: Int64 = 0
    }

    let rates: SlotRates
    let uses = SlotUses()
    let strips: TextStrips
    /// The begin of the first slot.
    let origin: Int64
    let slots: [Slot]
    private let times: RangeTree<SlotTimes>

    /// The span of some blocks; `origin` is the start of the first block's quarter.
    ///
    /// A previous span from the same origin is kept if its blocks are the same.
    static func made(of blocks: [Block], _ origin: Int64, replacing previous: BlockSpan?) -> BlockSpan {
        guard let previous else { return BlockSpan(blocks, origin: origin, previous: nil, kept: 0) }
        let kept = zip(previous.slots, blocks).prefix { $0.block === $1 }.count
        let isSame = kept == blocks.count && kept == previous.slots.count
        return isSame ? previous : BlockSpan(blocks, origin: origin, previous: previous, kept: kept)
    }

    /// The data of the first `kept` slots is taken from the previous span.
    private init(_ blocks: [Block], origin: Int64, previous: BlockSpan?, kept: Int) {
        self.origin = origin
        var slots = Array(previous?.slots[..<kept] ?? [])
        slots.reserveCapacity(blocks.count)
        var runs = slots.reduce(0) { max($0, $1.run ?? 0) }
        for block in blocks[kept...] {
            var slot = Slot(block: block)
            slot.measure(after: slots.last, runs: &runs)
            slots.append(slot)
        }
        self.slots = slots
        times = RangeTree(slots.map(SlotTimes.init))
        rates = SlotRates(count: slots.count, previous: previous?.rates, kept: kept)
        strips = TextStrips(origin: origin, count: slots.count, previous: previous?.strips, kept: kept)
    }

    /// The segments that overlap a window.
    ///
    /// They begin at `earliest` or later, microseconds; `earliest` must not be before the span.
    func find(_ window: TimeWindow, from earliest: Int64) -> RenditionBlockIndex.Found {
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        let (low, high) = (index(earliest), index(end - 1))
        guard high < slots.count else { return .absent }
        var (head, tail) = (low, high)
        while head <= high, slots[head].end <= begin { head += 1 }
        while tail > head, slots[tail].begin >= end { tail -= 1 }
        guard head <= high, head < tail || slots[head].begin < end else { return .nothing }
        guard let run = slots[head].run, slots[tail].run == run else { return .irregular }
        var between = SlotTimes()
        if tail > head + 1 { _ = times.add((head + 1)..<tail, to: &between) }
        let cut = WindowSlice(self, head...tail, between, of: window)
        return cut.map(RenditionBlockIndex.Found.segments) ?? .nothing
    }

    private func index(_ time: Int64) -> Int {
        Int((time - origin) / Quarter.microseconds)
    }
}

extension BlockSpan.Slot {
    fileprivate mutating func measure(after previous: Self?, runs: inout Int) {
        guard let first = block.segments.first, let last = block.segments.last else { return }
        begin = first.start.microseconds
        end =
            block.summary.isOrdered
            ? last.end.microseconds : block.segments.reduce(.min) { max($0, $1.end.microseconds) }
        longest = block.summary.longest
        pauses = block.summary.missing
        guard block.summary.isUniform, let text = block.text, text.format.isClear else { return }
        if let previous, previous.run != nil, block.follows(previous.block) {
            run = previous.run
            let gap = begin - previous.end
            pause = gap > Limits.timeTolerance ? gap : 0
            // The first start of a block has no drift of its own.
            let before = previous.block.summary
            let moved = previous.drift.lowerBound - before.drift.lowerBound
            let offset = moved + (begin - previous.begin - before.duration)
            drift = (offset + block.summary.drift.lowerBound)...(offset + block.summary.drift.upperBound)
        } else {
            runs += 1
            run = runs
            drift = block.summary.drift
        }
    }
}

extension Block {
    /// Whether its lines follow those of another one without a tag between them.
    fileprivate func follows(_ other: Block) -> Bool {
        guard let last = other.segments.last, let first = segments.first else { return false }
        return first.start >= last.end && first.start - last.end <= Limits.holeTolerance
            && first.formatID == last.formatID
            && first.discontinuitySequence == last.discontinuitySequence
            && first.flags.contains(.spliced) == last.flags.contains(.spliced)
    }
}
