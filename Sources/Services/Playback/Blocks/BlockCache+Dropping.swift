import Catalogue
import Concurrency

/// How blocks are dropped when memory is full.
///
/// All blocks are in a ring, nearly in the order in which they came. A hand moves along the ring. At each
/// step it compares a few blocks at equal distances and drops the one that is wanted least. So no call looks
/// at all blocks.
extension BlockCache.State {
    /// Drops blocks until there is room; once memory was full, each call drops a few more until a tenth of it
    /// is free.
    ///
    /// - Returns: true when the tenth is free, which is the time for others to drop the same blocks
    mutating func shrink(to capacity: Int, now: SteadyInstant) -> Bool {
        if byteCount > capacity { isShrinking = true }
        guard isShrinking else { return false }
        let (target, since) = (capacity - capacity / 10, now - Limits.usedAgainFor)
        var (looks, dropped) = (0, 0)
        while byteCount > target, byteCount > capacity || looks < Limits.dropsAtOnce {
            looks += 1
            guard let found = leastWanted(now: now, since: since) else { break }
            // A wanted block is dropped only after so many looks have found no other.
            if looks < Limits.dropsAtOnce, found.isWanted(since: since) { continue }
            remove(found.block.quarter)
            dropped += 1
        }
        isShrinking = byteCount > target && dropped > 0
        return !isShrinking
    }

    /// Moves the hand one step; gives the least wanted of the blocks that it compares there.
    private mutating func leastWanted(now: SteadyInstant, since: SteadyInstant) -> BlockCache.Entry? {
        var least: BlockCache.Entry?
        hand = ring.isEmpty ? 0 : (hand + 1) % ring.count
        let count = min(Limits.blocksCompared, ring.count)
        for number in 0..<count {
            let quarter = ring[(hand + number * (ring.count / count)) % ring.count]
            noteTouch(quarter, now: now)
            guard let entry = entries[quarter.rendition]?[quarter.begin] else { continue }
            if least.map({ entry.isDropped(before: $0, since: since) }) ?? true { least = entry }
        }
        return least
    }
}
