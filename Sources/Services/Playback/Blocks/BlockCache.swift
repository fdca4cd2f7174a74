import Catalogue
import Concurrency
import Synchronization

/// Blocks in memory and running loads; above a memory limit the least recently used blocks are dropped, first
/// those that were used once only.
final class BlockCache: Sendable {
    typealias Load = Task<Result<[Block], CatalogueError>, Never>

    struct Entry {
        var block: Block
        var used: SteadyInstant
        /// The position in the ring.
        var place: Int
        /// Bytes that were added after the insertion, such as key frames.
        var added = 0
        /// Whether it was used again after some time: a walk over old windows uses each block once.
        var isUsedAgain = false

        mutating func use(at now: SteadyInstant) {
            if now - used >= Limits.usedAgainAfter { isUsedAgain = true }
            used = now
        }

        /// Whether it was used more than once, the last time at or after an instant.
        func isReused(since: SteadyInstant) -> Bool { isUsedAgain && used >= since }

        /// What is dropped first: what was used once, then what was used least recently.
        func isEvicted(before other: Entry, since: SteadyInstant) -> Bool {
            let (own, others) = (isReused(since: since), other.isReused(since: since))
            return own == others ? used < other.used : others
        }
    }

    struct State {
        /// By rendition and begin of the quarter.
        var entries: [Int32: [Int64: Entry]] = [:]
        var byteCount = 0
        /// Blocks that came in since the start.
        var insertedCount = 0
        /// The quarters of all entries; the hand moves along them to find what to drop.
        var ring: [Quarter] = []
        var hand = 0
        /// Bytes that were dropped and may still be held by others.
        var droppedBytes = 0
        /// The loads whose blocks are stored when they finish.
        var loads: [Quarter: (number: Int, load: Load)] = [:]
        var loadCount = 0
    }

    private let capacity: Int
    private let clock: HostClock
    private let state = Mutex(State())
    private let evicted: @Sendable () -> Void

    /// How many blocks came in since the start.
    var insertedCount: Int { state.withLock { $0.insertedCount } }

    /// Keeps at most `capacity` bytes.
    ///
    /// `evicted` is called each time a tenth of `capacity` has been dropped to free memory, so that other
    /// owners of the blocks drop them, too.
    init(capacity: Int, clock: HostClock, evicted: @escaping @Sendable () -> Void = {}) {
        self.capacity = capacity
        self.clock = clock
        self.evicted = evicted
    }

    /// Returns the blocks in memory and the loads to wait for.
    ///
    /// A load is started for each run of quarters that is neither in memory nor being loaded.
    func take(
        _ quarters: [Quarter], loading: (QuarterRange, _ number: Int) -> Load,
    ) -> (blocks: [Block], loads: [Load]) {
        let now = clock.steady()
        return state.withLock { state in
            var (blocks, loads, missing): ([Block], [Int: Load], [Quarter]) = ([], [:], [])
            for quarter in quarters {
                if let block = state.use(quarter, now: now) {
                    blocks.append(block)
                } else if let running = state.loads[quarter] {
                    loads[running.number] = running.load
                } else {
                    missing.append(quarter)
                }
            }
            for range in QuarterRange.joining(missing, atMost: Limits.quartersPerLoad) {
                state.loadCount += 1
                let load = loading(range, state.loadCount)
                for quarter in range.quarters { state.loads[quarter] = (state.loadCount, load) }
                loads[state.loadCount] = load
            }
            return (blocks, Array(loads.values))
        }
    }

    /// The blocks of a rendition, by the start of their quarter; this does not count as a use.
    func held(of rendition: Int32) -> [Int64: Block] {
        state.withLock { $0.entries[rendition]?.mapValues(\.block) ?? [:] }
    }

    /// How many blocks of a range are not in memory.
    func missing(_ range: QuarterRange) -> Int {
        state.withLock { state in
            let known = state.entries[range.first.rendition]
            return (0..<range.count).count {
                known?[range.first.begin + Int64($0) * Quarter.microseconds] == nil
            }
        }
    }

    /// Whether all blocks of a range are in memory or being loaded.
    func isHeldOrLoading(_ range: QuarterRange) -> Bool {
        state.withLock { state in
            let known = state.entries[range.first.rendition]
            return range.quarters.allSatisfy { known?[$0.begin] != nil || state.loads[$0] != nil }
        }
    }

    /// Stores the blocks of a finished load, except those that a change has made stale.
    func finish(_ range: QuarterRange, number: Int, blocks: [Block]) {
        let now = clock.steady()
        let hasEvicted = state.withLock { state in
            for block in blocks where state.loads[block.quarter]?.number == number {
                state.insert(block, now: now)
            }
            for quarter in range.quarters where state.loads[quarter]?.number == number {
                state.loads[quarter] = nil
            }
            return state.shrink(to: capacity, now: now)
        }
        if hasEvicted { evicted() }
    }
}

extension BlockCache {
    /// Adds bytes to the sizes of blocks; a block that is no longer in memory is ignored.
    func add(_ more: [(byteCount: Int, block: Block)]) {
        let now = clock.steady()
        let hasEvicted = state.withLock { state in
            for (byteCount, block) in more { state.add(byteCount, to: block) }
            return state.shrink(to: capacity, now: now)
        }
        if hasEvicted { evicted() }
    }
}

/// How changes affect the cache.
extension BlockCache {
    /// Lets running loads finish without storing their blocks, which may be older than a change.
    func detachLoads(of quarters: Set<Quarter>) {
        state.withLock { state in
            for quarter in quarters { state.loads[quarter] = nil }
        }
    }

    func detachLoads(ofRenditions renditions: Set<Int32>) {
        state.withLock { state in
            state.loads = state.loads.filter { !renditions.contains($0.key.rendition) }
        }
    }

    /// The blocks of renditions that are in memory.
    func blocks(ofRenditions renditions: Set<Int32>) -> [Block] {
        state.withLock { state in
            renditions.flatMap { state.entries[$0]?.values.map(\.block) ?? [] }
        }
    }

    /// Whether a quarter was requested since an instant.
    func isUsed(_ quarter: Quarter, since instant: SteadyInstant) -> Bool {
        let now = clock.steady()
        return state.withLock { state in
            state.noteTouch(quarter, now: now)
            return state.entries[quarter.rendition]?[quarter.begin].map { $0.used >= instant } ?? false
        }
    }

    /// Drops quarters and inserts other blocks in one step.
    func replace(_ dropped: [Quarter], with blocks: [Block]) {
        let now = clock.steady()
        let hasEvicted = state.withLock { state in
            for block in blocks {
                // A renewed block keeps its uses.
                let previous = state.entries[block.quarter.rendition]?[block.quarter.begin]
                state.insert(block, now: previous?.used ?? now, isUsedAgain: previous?.isUsedAgain ?? false)
            }
            let replaced = Set(blocks.map(\.quarter))
            for quarter in dropped where !replaced.contains(quarter) { state.remove(quarter) }
            return state.shrink(to: capacity, now: now)
        }
        if hasEvicted { evicted() }
    }
}

extension BlockCache.State {
    fileprivate mutating func use(_ quarter: Quarter, now: SteadyInstant) -> Block? {
        guard let block = entries[quarter.rendition]?[quarter.begin]?.block else { return nil }
        entries[quarter.rendition]?[quarter.begin]?.use(at: now)
        return block
    }

    /// A block that a block index used without asking the cache counts as used now.
    mutating func noteTouch(_ quarter: Quarter, now: SteadyInstant) {
        guard entries[quarter.rendition]?[quarter.begin]?.block.takeTouch() == true else { return }
        entries[quarter.rendition]?[quarter.begin]?.use(at: now)
    }

    fileprivate mutating func insert(
        _ block: Block, now: SteadyInstant, isUsedAgain: Bool = false,
    ) {
        remove(block.quarter)
        insertedCount += 1
        byteCount += block.byteCount
        entries[block.quarter.rendition, default: [:]][block.quarter.begin] = .init(
            block: block, used: now, place: ring.count, isUsedAgain: isUsedAgain)
        ring.append(block.quarter)
    }

    fileprivate mutating func add(_ added: Int, to block: Block) {
        let place = block.quarter
        guard let known = entries[place.rendition]?[place.begin]?.block,
            known === block || known.repaired === block
        else { return }
        entries[place.rendition]?[place.begin]?.added += added
        byteCount += added
    }

    /// Removes a block; gives the bytes that it had.
    @discardableResult
    mutating func remove(_ quarter: Quarter) -> Int {
        guard let entry = entries[quarter.rendition]?.removeValue(forKey: quarter.begin) else { return 0 }
        let removed = entry.block.byteCount + entry.added
        byteCount -= removed
        if entries[quarter.rendition]?.isEmpty == true { entries[quarter.rendition] = nil }
        let last = ring.removeLast()
        if last != quarter {
            ring[entry.place] = last
            entries[last.rendition]?[last.begin]?.place = entry.place
        }
        return removed
    }
}
