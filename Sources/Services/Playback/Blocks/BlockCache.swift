import Catalogue
import Synchronization

/// Blocks in memory and loads under way; when the bytes pass a limit the blocks used least lately go.
final class BlockCache: Sendable {
    typealias Load = Task<Result<[Block], CatalogueError>, Never>

    fileprivate struct Entry {
        var block: Block
        var used: ContinuousClock.Instant
    }

    fileprivate struct State {
        /// By rendition and begin of the quarter.
        var entries: [Int32: [Int64: Entry]] = [:]
        var byteCount = 0
        /// The loads whose blocks are to be kept when they come.
        var loads: [Quarter: (number: Int, load: Load)] = [:]
        var loadsMade = 0
    }

    private let capacity: Int
    private let format = Mutex(State())

    /// Keeps at most so many bytes.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The blocks that are there, and the loads to wait for: for each run of quarters that nobody loads yet one is made.
    func take(
        _ quarters: [Quarter], loading: (QuarterRange, _ number: Int) -> Load,
    ) -> (blocks: [Block], loads: [Load]) {
        let now = ContinuousClock.now
        return format.withLock { format in
            var (blocks, loads, missing): ([Block], [Int: Load], [Quarter]) = ([], [:], [])
            for quarter in quarters {
                if let block = format.use(quarter, now: now) {
                    blocks.append(block)
                } else if let running = format.loads[quarter] {
                    loads[running.number] = running.load
                } else {
                    missing.append(quarter)
                }
            }
            for range in QuarterRange.joining(missing) {
                format.loadsMade += 1
                let load = loading(range, format.loadsMade)
                for quarter in range.quarters { format.loads[quarter] = (format.loadsMade, load) }
                loads[format.loadsMade] = load
            }
            return (blocks, Array(loads.values))
        }
    }

    /// A load is done: what no change has touched meanwhile is kept.
    func finish(_ range: QuarterRange, number: Int, blocks: [Block]) {
        let now = ContinuousClock.now
        format.withLock { format in
            for block in blocks where format.loads[block.quarter]?.number == number {
                format.insert(block, now: now)
            }
            for quarter in range.quarters where format.loads[quarter]?.number == number {
                format.loads[quarter] = nil
            }
            format.shrink(to: capacity)
        }
    }
}

/// What changes make of the cache.
extension BlockCache {
    /// Lets loads under way finish without keeping what they bring: it may be older than a change.
    func detachLoads(of quarters: Set<Quarter>) {
        format.withLock { format in
            for quarter in quarters { format.loads[quarter] = nil }
        }
    }

    func detachLoads(ofRenditions renditions: Set<Int32>) {
        format.withLock { format in
            format.loads = format.loads.filter { !renditions.contains($0.key.rendition) }
        }
    }

    /// The blocks of renditions that are in memory.
    func blocks(ofRenditions renditions: Set<Int32>) -> [Block] {
        format.withLock { format in
            renditions.flatMap { format.entries[$0]?.values.map(\.block) ?? [] }
        }
    }

    /// Whether somebody asked for a quarter since an instant.
    func isUsed(_ quarter: Quarter, since instant: ContinuousClock.Instant) -> Bool {
        format.withLock { format in
            format.entries[quarter.rendition]?[quarter.begin].map { $0.used >= instant } ?? false
        }
    }

    /// Drops quarters and puts other blocks in their place, all at once.
    func replace(_ dropped: [Quarter], with blocks: [Block]) {
        format.withLock { format in
            for block in blocks {
                // A block that nobody asked for stays as old as the one before it.
                let used = format.entries[block.quarter.rendition]?[block.quarter.begin]?.used
                format.insert(block, now: used ?? .now)
            }
            let replaced = Set(blocks.map(\.quarter))
            for quarter in dropped where !replaced.contains(quarter) { format.remove(quarter) }
            format.shrink(to: capacity)
        }
    }
}

extension BlockCache.State {
    fileprivate mutating func use(_ quarter: Quarter, now: ContinuousClock.Instant) -> Block? {
        guard let block = entries[quarter.rendition]?[quarter.begin]?.block else { return nil }
        entries[quarter.rendition]?[quarter.begin]?.used = now
        return block
    }

    fileprivate mutating func insert(_ block: Block, now: ContinuousClock.Instant) {
        remove(block.quarter)
        byteCount += block.byteCount
        entries[block.quarter.rendition, default: [:]][block.quarter.begin] = .init(block: block, used: now)
    }

    fileprivate mutating func remove(_ quarter: Quarter) {
        guard let entry = entries[quarter.rendition]?.removeValue(forKey: quarter.begin) else { return }
        byteCount -= entry.block.byteCount
        if entries[quarter.rendition]?.isEmpty == true { entries[quarter.rendition] = nil }
    }

    /// Makes more room than is needed, so that not every new block has to look for the oldest.
    fileprivate mutating func shrink(to capacity: Int) {
        guard byteCount > capacity else { return }
        let oldestFirst = entries.values.flatMap(\.values).sorted { $0.used < $1.used }
        for entry in oldestFirst {
            if byteCount <= capacity - capacity / 10 { break }
            remove(entry.block.quarter)
        }
    }
}

extension QuarterRange {
    /// Runs of quarters that follow each other, as few as there are; quarters come in order.
    static func joining(_ quarters: [Quarter]) -> [QuarterRange] {
        var ranges: [QuarterRange] = []
        for quarter in quarters {
            if var last = ranges.last, last.first.rendition == quarter.rendition,
                last.count < Limits.quartersPerLoad,
                quarter.begin == last.first.begin + Int64(last.count) * Quarter.microseconds
            {
                last.count += 1
                ranges[ranges.count - 1] = last
            } else {
                ranges.append(QuarterRange(first: quarter, count: 1))
            }
        }
        return ranges
    }
}
