import Catalogue
import Timeline

/// The blocks of one rendition that are in memory, side by side, with what a window needs of them as numbers.
final class RenditionPicture: Sendable {
    /// A quarter of an hour; all times are microseconds since 1970.
    struct Slot: Sendable {
        /// Nil if it is not in memory.
        let block: Block?
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

    let description: RenditionDescription
    let rates: SlotRates
    let uses = SlotUses()
    let strips: TextStrips
    /// The begin of the first quarter in which something is held; nil if nothing is.
    private let held: Int64?
    /// The begin of the first slot.
    private let origin: Int64
    private let slots: [Slot]
    private let times: RangeTree<SlotTimes>

    /// `blocks` are those in memory, by the begin of their quarter.
    init(_ rendition: KnownRendition, _ blocks: [Int64: Block]) {
        description = rendition.description
        held = rendition.firstQuarter
        guard let first = blocks.keys.min(), let last = blocks.keys.max() else {
            (origin, slots, times, rates) = (0, [], RangeTree(count: 0), SlotRates(count: 0))
            strips = TextStrips(origin: 0, count: 0)
            return
        }
        origin = first
        var slots: [Slot] = []
        slots.reserveCapacity(Int((last - first) / Quarter.microseconds) + 1)
        var runs = 0
        for begin in stride(from: first, through: last, by: Int(Quarter.microseconds)) {
            let held = blocks[begin]
            var slot = Slot(block: held.map { $0.repaired ?? $0 })
            if let block = slot.block { slot.measure(block, after: slots.last, runs: &runs) }
            slots.append(slot)
        }
        self.slots = slots
        times = RangeTree(slots.map(SlotTimes.init))
        rates = SlotRates(count: slots.count)
        strips = TextStrips(origin: first, count: slots.count)
    }
}

extension RenditionPicture.Slot {
    fileprivate mutating func measure(_ block: Block, after former: Self?, runs: inout Int) {
        guard let first = block.segments.first, let last = block.segments.last else { return }
        begin = first.start.microseconds
        end =
            block.summary.isOrdered
            ? last.end.microseconds : block.segments.reduce(.min) { max($0, $1.end.microseconds) }
        longest = block.summary.longest
        pauses = block.summary.missing
        guard block.summary.isUniform, let text = block.text, text.format.isClear else { return }
        if let former, former.run != nil, let before = former.block, block.follows(before) {
            run = former.run
            let gap = begin - former.end
            pause = gap > Limits.grain ? gap : 0
            // The first start of a block has no drift of its own.
            let moved = former.drift.lowerBound - before.summary.drift.lowerBound
            let offset = moved + (begin - former.begin - before.summary.duration)
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

/// Finding the segments of a window.
extension RenditionPicture {
    enum Found {
        /// A block is not in memory.
        case absent
        /// What the window lists is not one run, so it has to be composed.
        case irregular
        /// No segment overlaps the window.
        case nothing
        case segments(WindowCut)
    }

    /// The segments that overlap a window.
    func find(_ window: TimeWindow) -> Found {
        guard let held else { return .nothing }
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        let earliest = max(begin - Catalogue.longestSegment, held)
        guard begin < end, earliest < end else { return .nothing }
        guard earliest >= origin else { return .absent }
        let (low, high) = (index(earliest), index(end - 1))
        guard high < slots.count else { return .absent }
        var (head, tail) = (low, high)
        while head <= high, slots[head].block != nil, slots[head].end <= begin { head += 1 }
        while tail > head, slots[tail].block != nil, slots[tail].begin >= end { tail -= 1 }
        guard head <= high else { return .nothing }
        guard slots[head].block != nil, slots[tail].block != nil else { return .absent }
        if head == tail, slots[head].begin >= end { return .nothing }
        guard let run = slots[head].run, slots[tail].run == run else {
            return isHere(head...tail) ? .irregular : .absent
        }
        var between = SlotTimes()
        if tail > head + 1 { _ = times.add((head + 1)..<tail, to: &between) }
        return WindowCut(slots[head...tail], between, of: window).map(Found.segments) ?? .nothing
    }

    private func index(_ time: Int64) -> Int {
        Int((time - origin) / Quarter.microseconds)
    }

    private func isHere(_ range: ClosedRange<Int>) -> Bool {
        slots[range].allSatisfy { $0.block != nil }
    }
}
