import Catalogue
import Concurrency
import Timeline

/// The blocks of all renditions, from memory or, the first time, from the catalogue.
final class Blocks: Sendable {
    private let cache: BlockCache
    private let loader: BlockLoader
    private let catalogue: Catalogue
    private let clock: HostClock
    private let executor: (any TaskExecutor)?
    /// Limits the statements for windows; reads after a new head do not wait for them.
    private let reads = AsyncSemaphore(permits: Limits.blockReads)

    /// Blocks are read on `executor`; `evicted` is called after blocks were dropped because memory is
    /// limited.
    init(
        catalogue: Catalogue, capacity: Int, executor: (any TaskExecutor)?, clock: HostClock,
        evicted: @escaping @Sendable () -> Void,
    ) {
        cache = BlockCache(capacity: capacity, clock: clock, evicted: evicted)
        loader = BlockLoader(catalogue: catalogue)
        self.catalogue = catalogue
        self.clock = clock
        self.executor = executor
    }

    /// The blocks of one rendition for a range of quarters, in order.
    ///
    /// Concurrent requests for the same quarters share one load.
    func blocks(_ range: QuarterRange, of rendition: RenditionID) async throws(CatalogueError) -> [Block] {
        var found: [Block] = []
        found.reserveCapacity(range.count)
        for part in QuarterRange.joining(range.quarters, atMost: Limits.quartersAtOnce) {
            found += try await blocks(part.quarters, of: rendition)
        }
        return found
    }

    /// The blocks of a rendition that are in memory, by the begin of their quarter.
    func held(of rendition: Int32) -> [Int64: Block] {
        cache.held(of: rendition)
    }

    /// How many blocks have come into memory since the start.
    var insertedCount: Int { cache.insertedCount }

    /// How many blocks of some ranges are not in memory.
    func missing(_ ranges: [QuarterRange]) -> Int {
        ranges.reduce(0) { $0 + cache.missing($1) }
    }

    /// Whether all blocks of some ranges are in memory or being loaded.
    func areHeldOrLoading(_ ranges: [QuarterRange]) -> Bool {
        ranges.allSatisfy { cache.isHeldOrLoading($0) }
    }

    private func blocks(
        _ quarters: [Quarter], of rendition: RenditionID,
    ) async throws(CatalogueError) -> [Block] {
        let (present, loads) = cache.take(quarters) { load($0, of: rendition, number: $1) }
        if loads.isEmpty { return present }
        var all = Dictionary(present.map { ($0.quarter, $0) }, uniquingKeysWith: { first, _ in first })
        for load in loads {
            for block in try await load.value.get() { all[block.quarter] = block }
        }
        return quarters.compactMap { all[$0] }
    }

    /// Reads the key frames of blocks of one rendition, which are in order, and writes their text.
    ///
    /// A text that cannot be made is tried again by the playlist that needs it, which tells the error.
    func readKeyFrames(
        of blocks: [Block], _ rendition: RenditionID, isCompressed: Bool,
    ) async throws(CatalogueError) {
        try await withTaskExecutorPreference(executor) { () async throws(CatalogueError) in
            try await blocks.inChunks(of: Limits.textsPerTask) { (part) async throws(CatalogueError) in
                try await self.readKeyFrames(ofPart: part, rendition)
                for block in part { try? block.keyFrames.load()?.text?.prepare(isCompressed: isCompressed) }
            }
        }
    }

    /// The key frames of blocks of one rendition, which are in order.
    func keyFrames(of blocks: [Block]) async throws(CatalogueError) -> [QuarterKeyFrames] {
        guard !blocks.isEmpty else { return [] }
        return try await reads.inTurn { () async throws(CatalogueError) in
            try await catalogue.keyFramesByQuarter(of: blocks.map(\.quarter))
        }
    }

    private func readKeyFrames(
        ofPart blocks: ArraySlice<Block>, _ rendition: RenditionID,
    ) async throws(CatalogueError) {
        let found = try await keyFrames(of: Array(blocks))
        var read: [(byteCount: Int, block: Block)] = []
        for (block, own) in zip(blocks, found) {
            let made = BlockKeyFrames(own, of: block, rendition: rendition)
            if block.keyFrames.storeIfNil(made) === made { read.append((made.byteCount, block)) }
        }
        cache.add(read)
    }

    /// Several requests can wait for a load, so it continues if the one that started it is cancelled.
    private func load(_ range: QuarterRange, of rendition: RenditionID, number: Int) -> BlockCache.Load {
        Task(executorPreference: executor) { [cache, loader, reads] in
            let result = await Result { () async throws(CatalogueError) in
                try await reads.inTurn { () async throws(CatalogueError) in
                    try await loader.blocks(range, of: rendition)
                }
            }
            cache.finish(range, number: number, blocks: (try? result.get()) ?? [])
            return result
        }
    }
}

extension Blocks {
    /// Updates the blocks of some renditions after a change of the quarters `touched`, nil if they are
    /// unknown.
    ///
    /// Blocks that were used recently are read again before the old ones are dropped, so that the live edge
    /// stays in memory if the catalogue becomes unavailable. Others are only dropped. Nothing changes if this
    /// throws.
    func refresh(_ renditions: [KnownRendition], touched: Set<Quarter>?) async throws(CatalogueError) {
        let names = Dictionary(
            renditions.map { ($0.row, $0.description.id) }, uniquingKeysWith: { first, _ in first })
        if let touched {
            cache.detachLoads(of: touched)
        } else {
            cache.detachLoads(ofRenditions: Set(names.keys))
        }
        let stale = try await stale(cache.blocks(ofRenditions: Set(names.keys)), touched)
        let recently = clock.steady() - Limits.recentUse
        let used = stale.filter { cache.isUsed($0, since: recently) }.sorted { $0.begin > $1.begin }
        var renewed: [Block] = []
        for quarter in used.prefix(Limits.refreshedAtOnce) {
            guard let name = names[quarter.rendition] else { continue }
            renewed += try await loader.blocks(QuarterRange(first: quarter, count: 1), of: name)
        }
        cache.replace(stale, with: renewed)
    }

    private func stale(_ blocks: [Block], _ touched: Set<Quarter>?) async throws(CatalogueError) -> [Quarter]
    {
        if let touched { return blocks.map(\.quarter).filter(touched.contains) }
        var stale: [Quarter] = []
        var rest = blocks[...]
        while !rest.isEmpty {
            let part = rest.prefix(Limits.versionsAtOnce)
            rest = rest.dropFirst(part.count)
            let versions = try await catalogue.versions(of: part.map(\.quarter))
            stale += part.filter { versions[$0.quarter] != $0.version }.map(\.quarter)
        }
        return stale
    }
}

extension AsyncSemaphore {
    /// Runs a question to the catalogue with a permit; a cancelled one is not asked.
    fileprivate func inTurn<Value>(
        _ ask: () async throws(CatalogueError) -> Value,
    ) async throws(CatalogueError) -> Value {
        guard let value = try await withPermit(ask) else { throw .notInTime }
        return value
    }
}
