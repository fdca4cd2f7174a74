package import Catalogue
import Concurrency
package import Timeline

/// What playlists are made of, kept in memory: channels, where each stands, and blocks of segments.
///
/// Nothing in an answer is older than two seconds while the catalogue can be read. While it is away what is in memory
/// counts on; what is not is an error.
package final class TimelineIndex: Sendable {
    let catalogue: Catalogue
    let channels: StaleWhileUnavailableCache<ChannelID, Channel>
    let heads: StaleWhileUnavailableCache<Int32, TrackedHead>
    let announced = AnnouncedChanges()
    private let blocks: Blocks
    /// What is read for a window of many days is more than the cache holds, and is in memory all at once.
    private let longWindows = AsyncSemaphore(
        permits: Limits.longWindowsAtOnce, waiters: Limits.longWindowsWaiting)

    /// Indexes a catalogue; what is known counts for `awaySeconds` while that is away: bytes may be gone after it.
    package init(catalogue: Catalogue, awaySeconds: Int64) {
        self.catalogue = catalogue
        let away = Duration.seconds(awaySeconds)
        channels = StaleWhileUnavailableCache(capacity: Limits.cachedChannels, away: away)
        heads = StaleWhileUnavailableCache(capacity: Limits.cachedChannels, away: away)
        blocks = Blocks(catalogue: catalogue, capacity: Limits.blockBytes)
    }

    /// A channel by its id, a deleted one too; nil when there never was one.
    package func channel(_ id: ChannelID) async throws(CatalogueError) -> Channel? {
        try await channels.value(of: id) { [catalogue] _ in
            await Result { () async throws(CatalogueError) in try await catalogue.channel(id) }
        }?.value
    }

    /// Where a channel stands: what one answer goes by from its beginning to its end.
    func head(of channel: Int32) async throws(CatalogueError) -> HeadSnapshot {
        let known = try await heads.value(of: channel) { await self.readHead(of: channel, $0) }
        guard let known else { throw .unreadable("no line of channel \(channel)") }
        return HeadSnapshot(known.value, asOf: known.asOf)
    }

    /// Every segment that overlaps a window: of the published log none that begins at the head's watermark or behind it.
    func record(
        of head: ChannelHead, in window: TimeWindow, scope: SegmentScope,
    ) async throws(CatalogueError) -> HeldSegments {
        guard window.microseconds > Limits.longWindow else {
            return try await recordAtOnce(of: head, in: window, scope: scope)
        }
        let record = try await longWindows.withPermit { () async throws(CatalogueError) in
            // What follows takes long even from memory: not on a thread that others wait for.
            await Task.yield()
            return try await recordAtOnce(of: head, in: window, scope: scope)
        }
        guard let record else { throw .notInTime }
        return record
    }

    private func recordAtOnce(
        of head: ChannelHead, in window: TimeWindow, scope: SegmentScope,
    ) async throws(CatalogueError) -> HeldSegments {
        var records: [ListedRendition] = []
        var formats: [Int32: SegmentFormat] = [:]
        let selection = BlockSelection(window: window, scope: scope, watermark: head.publishedHead.watermark)
        for rendition in head.renditions {
            var found: [Block] = []
            if let range = selection.range(of: rendition.row) {
                found = try await blocks.blocks(range, of: rendition.description.id)
            }
            for block in found { formats.merge(block.formats) { known, _ in known } }
            records.append(
                ListedRendition(description: rendition.description, segments: selection.segments(of: found)))
        }
        return HeldSegments(publishedHead: head.publishedHead, renditions: records, formats: formats)
    }

    /// Brings blocks to the present before anybody sees a newer head: an answer never mixes a new head with old blocks.
    func readHead(
        of channel: Int32, _ known: StaleWhileUnavailableCache<Int32, TrackedHead>.Known?,
    ) async -> Result<TrackedHead?, CatalogueError> {
        await Result { () async throws(CatalogueError) in
            let head = try await catalogue.head(of: channel)
            // A reading may take long: of its begin it says nothing.
            let seen = ContinuousClock.now
            if let known, known.value.head.revision == head.revision { return known.value }
            let touched = announced.touched(
                channel, after: known?.value.head.revision, upTo: head.revision)
            try await blocks.renew(head.renditions, touched: touched)
            return known?.value.following(head, at: seen) ?? TrackedHead(head, at: seen)
        }
    }
}
