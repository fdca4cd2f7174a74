import Catalogue
import Concurrency

/// How blocks are dropped when memory is full.
///
/// A variant of the CLOCK algorithm: all blocks are in a ring, nearly in the order in which they came, and a
/// hand moves along it. At each step it compares a few blocks at equal distances and drops the one that is
/// wanted least, so no call looks at all blocks.
extension BlockCache.State {
    /// Drops blocks until at most `capacity` bytes are left.
    ///
    /// - Returns: true when a tenth of `capacity` has been dropped since the last true; other owners of the
    ///   blocks should then drop them, too
    mutating func shrink(to capacity: Int, now: SteadyInstant) -> Bool {
        let since = now - Limits.reusedFor
        var passed = 0
        while byteCount > capacity, let found = evictionCandidate(now: now, since: since) {
            if found.isReused(since: since), passed < Limits.reusedBlocksSkipped {
                passed += 1
                continue
            }
            droppedBytes += remove(found.block.quarter)
        }
        guard droppedBytes > 0, droppedBytes >= capacity / 10 else { return false }
        droppedBytes = 0
        return true
    }

    /// Moves the hand one step; gives the least wanted of the blocks that it compares there.
    private mutating func evictionCandidate(now: SteadyInstant, since: SteadyInstant) -> BlockCache.Entry? {
        var least: BlockCache.Entry?
        hand = ring.isEmpty ? 0 : (hand + 1) % ring.count
        let count = min(Limits.blocksCompared, ring.count)
        for number in 0..<count {
            let quarter = ring[(hand + number * (ring.count / count)) % ring.count]
            noteTouch(quarter, now: now)
            guard let entry = entries[quarter.rendition]?[quarter.begin] else { continue }
            if least.map({ entry.isEvicted(before: $0, since: since) }) ?? true { least = entry }
        }
        return least
    }
}
