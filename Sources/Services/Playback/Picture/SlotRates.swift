import Synchronization

/// What bit rates take of the slots of a rendition, as numbers: a window of a day adds up ninety of them
/// without looking at their blocks.
///
/// It is filled while it is used.
final class SlotRates: Sendable {
    /// Of a slot whose block is too long for a run to reach through it.
    struct Rate {
        var bytes: Int64 = 0
        var duration: Int64 = 0
        /// The highest rate of the runs that end in the block.
        var peak: Int64 = 0
        /// When the use of the block was last noted, seconds.
        var touched: Int64 = 0
    }

    private struct State {
        var targetSeconds = 0
        var rates: [Rate?] = []
    }

    private let state = Mutex(State())

    /// The sum of some slots of one run, each of which has one before it.
    ///
    /// The use of their blocks is noted once in a second. Nil if a block is not that long, or if too many
    /// peaks would have to be measured at once.
    func sum(
        _ slots: ArraySlice<RenditionPicture.Slot>, _ range: Range<Int>, targetSeconds: Int, second: Int64,
    ) -> Rate? {
        state.withLock { state in
            if state.targetSeconds != targetSeconds { state = State(targetSeconds: targetSeconds) }
            let lacking = slots.endIndex - state.rates.count
            if lacking > 0 { state.rates += Array(repeating: nil, count: lacking) }
            var (sum, missing) = (Rate(), 0)
            for index in range {
                if state.rates[index] == nil {
                    let (rate, isMeasured) = Self.rate(slots, index, targetSeconds)
                    guard let rate else { return nil }
                    if isMeasured { missing += 1 }
                    guard missing <= Limits.peaksAtOnce else { return nil }
                    state.rates[index] = rate
                }
                guard let rate = state.rates[index] else { return nil }
                if rate.touched != second {
                    slots[index].block?.touch()
                    state.rates[index]?.touched = second
                }
                sum.bytes += rate.bytes
                sum.duration += rate.duration
                sum.peak = max(sum.peak, rate.peak)
            }
            return sum
        }
    }

    private static func rate(
        _ slots: ArraySlice<RenditionPicture.Slot>, _ index: Int, _ targetSeconds: Int,
    ) -> (Rate?, isMeasured: Bool) {
        guard let block = slots[index].block, let before = slots[index - 1].block,
            BitRateMeter.isLong(block, targetSeconds: targetSeconds)
        else { return (nil, false) }
        let known = block.totals.knownPeak(after: before.totals, targetSeconds: targetSeconds)
        let peak = known ?? block.totals.peak(after: before.totals, targetSeconds: targetSeconds)
        let rate = Rate(bytes: block.totals.storedBytes, duration: block.summary.duration, peak: peak)
        return (rate, known == nil)
    }
}

extension WindowCut {
    /// The bit rates of the segments; nil if there is too much to measure.
    ///
    /// Notes the use of all blocks.
    func bitRate(targetSeconds: Int, _ rates: SlotRates, second: Int64) -> BitRate? {
        var meter = BitRateMeter(targetSeconds: targetSeconds)
        var index = slots.startIndex
        while index < slots.endIndex {
            guard let block = slots[index].block else { return nil }
            let (rows, next) = (rows(index, block), index + 1)
            block.touch()
            if rows.count < block.segments.count {
                meter.append(block.totals, rows)
                index = next
                continue
            }
            meter.append(block, targetSeconds: targetSeconds)
            index = next
            // The last block may be cut, so it is not among those that are added up.
            let last = slots.endIndex - 1
            guard next < last, let totals = slots[last - 1].block?.totals else { continue }
            guard let sum = rates.sum(slots, next..<last, targetSeconds: targetSeconds, second: second),
                meter.append(
                    bytes: sum.bytes, duration: sum.duration, peak: sum.peak, endingWith: totals)
            else { return nil }
            index = last
        }
        return meter.rate
    }
}
