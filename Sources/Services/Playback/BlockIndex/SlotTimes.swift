/// The combined values of consecutive slots for a window; all times in microseconds.
struct SlotTimes: RangeValue {
    /// The longest media of a segment.
    var longest: Int64 = 0
    /// How far starts are from the begin of the run plus the media since then.
    var lowest = Int64.max
    var highest = Int64.min
    /// The pauses before and between segments that count as missing.
    var missing: Int64 = 0
    /// Whether every segment starts with an independent frame.
    var isIndependent = true

    /// Of no slot.
    init() {}

    init(_ slot: BlockSpan.Slot) {
        let block = slot.block
        guard !block.segments.isEmpty else { return }
        longest = slot.longest
        (lowest, highest) = (slot.drift.lowerBound, slot.drift.upperBound)
        missing = slot.pause + slot.pauses
        isIndependent = block.summary.isIndependent
    }

    mutating func add(_ other: SlotTimes) {
        longest = max(longest, other.longest)
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
        missing += other.missing
        isIndependent = isIndependent && other.isIndependent
    }
}
