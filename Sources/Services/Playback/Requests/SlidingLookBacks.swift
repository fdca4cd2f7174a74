import Synchronization
import Timeline

/// How far back sliding playlists had to read for renditions of which little lies before the edge, so that
/// the next one reads that far at once.
final class SlidingLookBacks: Sendable {
    private struct CacheKey: Hashable {
        var channel: Int32
        var rendition: RenditionID
    }

    private let known = Mutex<[CacheKey: Int64]>([:])

    /// How far back to read next, microseconds, when too little of some renditions was found.
    ///
    /// Several times as far as now, or as far as was needed last time if that is more; at most `furthest`.
    func next(
        after lookBack: Int64, upTo furthest: Int64, for renditions: Set<RenditionID>, in channel: Int32,
    ) -> Int64 {
        let needed = known.withLock { known in
            renditions.map { known[CacheKey(channel: channel, rendition: $0)] ?? 0 }.max() ?? 0
        }
        return min(max(lookBack * Limits.slidingStep, needed), furthest)
    }

    func keep(_ lookBack: Int64, for renditions: Set<RenditionID>, in channel: Int32) {
        known.withLock { known in
            if known.count >= Limits.cachedChannels { known.removeAll() }
            for rendition in renditions {
                known[CacheKey(channel: channel, rendition: rendition)] = lookBack
            }
        }
    }
}

extension HeldSegments {
    /// Replaces the segments of the same renditions by those that were read further back.
    mutating func replace(with further: HeldSegments) {
        for rendition in further.renditions {
            guard let place = renditions.firstIndex(where: { $0.id == rendition.id }) else { continue }
            renditions[place] = rendition
        }
        formats.merge(further.formats) { known, _ in known }
        markers = further.markers
    }
}
