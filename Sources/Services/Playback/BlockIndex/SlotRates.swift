import Synchronization

/// Sizes, durations and peaks of the slots of a rendition, as a tree of sums for bit rates.
///
/// A window of a day adds up a dozen sums and reads no block. A sum is made when it is first needed.
final class SlotRates: Sendable {
    /// The sums of slots whose blocks are too long for a run to span one of them.
    struct Rate: RangeValue {
        var bytes: Int64 = 0
        var duration: Int64 = 0
        /// The highest rate of the runs that end in the blocks.
        var peak: Int64 = 0

        mutating func add(_ other: Rate) {
            bytes += other.bytes
            duration += other.duration
            peak = max(peak, other.peak)
        }
    }

    /// The highest bit rate of the key frames of slots; nil if they have none.
    private struct KeyFrameRate: RangeValue {
        var highest: Int64?

        mutating func add(_ other: KeyFrameRate) {
            guard let rate = other.highest else { return }
            highest = max(highest ?? 0, rate)
        }
    }

    private struct State: Sendable {
        var targetSeconds = 0
        var rates: RangeTree<Rate>
        var keyFrames: RangeTree<KeyFrameRate>
    }

    private let state: Mutex<State>
    private let count: Int

    /// Creates the rates of `count` slots; those of the first `kept` slots are taken from `previous`.
    init(count: Int, previous: SlotRates?, kept: Int) {
        self.count = count
        var own = State(rates: RangeTree(count: count), keyFrames: RangeTree(count: count))
        if let previous, previous.count == count {
            own = previous.state.withLock { $0 }
            own.rates.removeValues(from: kept)
            own.keyFrames.removeValues(from: kept)
        }
        state = Mutex(own)
    }

    /// The sum of some slots of one run, each of which has one before it.
    ///
    /// Nil if a block is not that long, or if too many peaks would have to be measured at once.
    func sum(_ slots: ArraySlice<BlockSpan.Slot>, _ range: Range<Int>, targetSeconds: Int) -> Rate? {
        state.withLock { state in
            if state.targetSeconds != targetSeconds {
                (state.targetSeconds, state.rates) = (targetSeconds, RangeTree(count: count))
            }
            var (sum, measured) = (Rate(), 0)
            let isReady = state.rates.prepare(range) { index in
                guard measured < Limits.peaksAtOnce else { return nil }
                let (rate, isMeasured) = Self.rate(slots, index, targetSeconds)
                if isMeasured { measured += 1 }
                return rate
            }
            return isReady && state.rates.add(range, to: &sum) ? sum : nil
        }
    }

    private static func rate(
        _ slots: ArraySlice<BlockSpan.Slot>, _ index: Int, _ targetSeconds: Int,
    ) -> (Rate?, isMeasured: Bool) {
        let (block, before) = (slots[index].block, slots[index - 1].block)
        guard BitRateMeter.isLong(block, targetSeconds: targetSeconds) else { return (nil, false) }
        let known = block.totals.knownPeak(after: before.totals, targetSeconds: targetSeconds)
        let peak = known ?? block.totals.peak(after: before.totals, targetSeconds: targetSeconds)
        let rate = Rate(bytes: block.totals.storedBytes, duration: block.summary.duration, peak: peak)
        return (rate, known == nil)
    }

    /// The highest bit rate of the key frames of some slots, nil if they have none; false if one is not known
    /// yet.
    func keyFrameRate(
        _ slots: ArraySlice<BlockSpan.Slot>, _ known: KeyFrameRates,
    ) -> (highest: Int64?, isKnown: Bool) {
        state.withLock { state in
            var sum = KeyFrameRate()
            let isReady = state.keyFrames.prepare(slots.indices) { index in
                let block = slots[index].block
                guard block.summary.hasKeyFrames else { return KeyFrameRate() }
                return known.highest(of: [block.place]).map { KeyFrameRate(highest: $0) }
            }
            let isKnown = isReady && state.keyFrames.add(slots.indices, to: &sum)
            return (sum.highest, isKnown)
        }
    }
}

extension WindowSlice {
    /// The bit rates of the segments; nil if there is too much to measure.
    func bitRate(targetSeconds: Int) -> BitRate? {
        var meter = BitRateMeter(targetSeconds: targetSeconds)
        var index = slots.startIndex
        while index < slots.endIndex {
            let block = slots[index].block
            let (rows, next) = (rows(index, block), index + 1)
            if rows.count < block.segments.count {
                meter.append(block.totals, rows)
                index = next
                continue
            }
            meter.append(block, targetSeconds: targetSeconds)
            index = next
            // The last block may be cut, so it is not among those that are added up.
            let last = slots.endIndex - 1
            guard next < last else { continue }
            let totals = slots[last - 1].block.totals
            guard let sum = blockSpan.rates.sum(slots, next..<last, targetSeconds: targetSeconds),
                meter.append(
                    bytes: sum.bytes, duration: sum.duration, peak: sum.peak, endingWith: totals)
            else { return nil }
            index = last
        }
        return meter.rate
    }
}
