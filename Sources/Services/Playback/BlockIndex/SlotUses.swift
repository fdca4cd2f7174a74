import Synchronization

/// Which slots of a rendition were used in the current second, one bit for each slot.
///
/// The use of a block is noted once a second. For a window of a day this reads two machine words instead of a
/// hundred blocks.
final class SlotUses: Sendable {
    private struct State {
        var second = Int64.min
        var words: [UInt64] = []
    }

    private let state = Mutex(State())

    /// Records that the blocks of some slots are used at this second.
    func note(_ slots: ArraySlice<BlockSpan.Slot>, at second: Int64) {
        guard !slots.isEmpty else { return }
        let (first, last) = (slots.startIndex, slots.endIndex - 1)
        state.withLock { state in
            let lacking = last / 64 + 1 - state.words.count
            if lacking > 0 { state.words += Array(repeating: 0, count: lacking) }
            if state.second != second {
                state.second = second
                for index in state.words.indices { state.words[index] = 0 }
            }
            for index in (first / 64)...(last / 64) {
                var wanted = UInt64.max
                if index == first / 64 { wanted &= .max << UInt64(first % 64) }
                if index == last / 64 { wanted &= .max >> UInt64(63 - last % 64) }
                var unseen = wanted & ~state.words[index]
                state.words[index] |= wanted
                while unseen != 0 {
                    slots[index * 64 + unseen.trailingZeroBitCount].block.touch()
                    unseen &= unseen - 1
                }
            }
        }
    }
}
