import Catalogue
import Concurrency
import Timeline

/// The blocks of all renditions: from memory, or from the catalogue when first asked for.
final class Blocks: Sendable {
    private let cache: BlockCache
    private let loader: BlockLoader
    private let catalogue: Catalogue

    init(catalogue: Catalogue, capacity: Int) {
        cache = BlockCache(capacity: capacity)
        loader = BlockLoader(catalogue: catalogue)
        self.catalogue = catalogue
    }

    /// The blocks of quarters of one rendition, in order; whoever asks for the same missing ones waits for one load.
    func blocks(_ range: QuarterRange, of rendition: RenditionID) async throws(CatalogueError) -> [Block] {
        var found: [Block] = []
        found.reserveCapacity(range.count)
        for part in QuarterRange.joining(range.quarters) {
            found += try await blocks(part.quarters, of: rendition)
        }
        return found
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

    /// A load serves everybody who waits for it, so it goes on when the one who began it leaves.
    private func load(_ range: QuarterRange, of rendition: RenditionID, number: Int) -> BlockCache.Load {
        Task { [cache, loader] in
            let result = await Result { () async throws(CatalogueError) in
                try await loader.blocks(range, of: rendition)
            }
            cache.finish(range, number: number, blocks: (try? result.get()) ?? [])
            return result
        }
    }
}

extension Blocks {
    /// Brings what is in memory of renditions to the present: `touched` is what has changed, nil if nobody knows.
    ///
    /// Blocks that somebody asked for lately are read anew before the old ones go, so that the live edge stays in memory
    /// when the catalogue goes away; others are dropped. Nothing changes when it throws.
    func renew(_ renditions: [KnownRendition], touched: Set<Quarter>?) async throws(CatalogueError) {
        let names = Dictionary(
            renditions.map { ($0.row, $0.description.id) }, uniquingKeysWith: { first, _ in first })
        if let touched {
            cache.detachLoads(of: touched)
        } else {
            cache.detachLoads(ofRenditions: Set(names.keys))
        }
        let stale = try await stale(cache.blocks(ofRenditions: Set(names.keys)), touched)
        let recently = ContinuousClock.now - Limits.recentUse
        let used = stale.filter { cache.isUsed($0, since: recently) }.sorted { $0.begin > $1.begin }
        var renewed: [Block] = []
        for quarter in used.prefix(Limits.renewedAtOnce) {
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
