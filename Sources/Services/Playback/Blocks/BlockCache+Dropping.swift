import Catalogue
import Concurrency

/// How blocks are dropped when memory is full.
///
/// A hand goes over the ring of all blocks, which is nearly in the order in which they came. It looks at a
/// few that lie evenly over the ring and drops the one that is wanted least, so no call looks at all.
extension BlockCache.State {
    /// Frees as much as is lacking, and once memory was full, a little more in each call until a tenth is
    /// free.
    ///
    /// True when it is: others have to drop the same blocks, which they do not have to do at each call.
    mutating func shrink(to capacity: Int, now: SteadyInstant) -> Bool {
        if byteCount > capacity { isShrinking = true }
        guard isShrinking else { return false }
        let (target, since) = (capacity - capacity / 10, now - Limits.usedAgainFor)
        var (looks, dropped) = (0, 0)
        while byteCount > target, byteCount > capacity || looks < Limits.dropsAtOnce {
            looks += 1
            guard let found = leastWanted(now: now, since: since) else { break }
            // What is wanted stays unless so many looks find nothing else.
            if looks < Limits.dropsAtOnce, found.isWanted(since: since) { continue }
            remove(found.block.quarter)
            dropped += 1
        }
        isShrinking = byteCount > target && dropped > 0
        return !isShrinking
    }

    /// The entry that is dropped first among those that the hand looks at.
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
