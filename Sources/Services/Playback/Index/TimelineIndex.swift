package import Catalogue
package import Concurrency
package import Timeline

/// The data that playlists are made of, in memory: channels, their heads, and blocks of segments.
///
/// Nothing is more than two seconds old while the catalogue is available. While it is not, cached data
/// remains valid for a while, and anything else is an error.
package final class TimelineIndex: Sendable {
    let catalogue: Catalogue
    let clock: HostClock
    let channels: StaleWhileUnavailableCache<ChannelID, Channel>
    let heads: StaleWhileUnavailableCache<Int32, TrackedHead>
    let announced = AnnouncedChanges()
    private let blocks: Blocks
    private let markers: MarkerCache
    /// The data of a window of many days exceeds the cache and is in memory all at once.
    private let longWindows = AsyncSemaphore(
        permits: Limits.longWindowsAtOnce, waiters: Limits.longWindowsWaiting)

    /// Creates an index.
    ///
    /// Cached data remains valid for `awaySeconds` while the catalogue is unavailable. After that its files
    /// may have been deleted.
    package init(catalogue: Catalogue, awaySeconds: Int64, clock: HostClock) {
        self.catalogue = catalogue
        self.clock = clock
        let away = Duration.seconds(awaySeconds)
        channels = StaleWhileUnavailableCache(capacity: Limits.cachedChannels, away: away, clock: clock)
        heads = StaleWhileUnavailableCache(capacity: Limits.cachedChannels, away: away, clock: clock)
        blocks = Blocks(catalogue: catalogue, capacity: Limits.blockBytes, clock: clock)
        markers = MarkerCache(catalogue: catalogue)
    }

    /// The channel with an id, even if it is deleted; nil if it never existed.
    package func channel(_ id: ChannelID) async throws(CatalogueError) -> Channel? {
        try await channels.value(of: id) { [catalogue] _ in
            await Result { () async throws(CatalogueError) in try await catalogue.channel(id) }
        }?.value
    }

    /// The head of a channel, used for the whole answer.
    func head(of channel: Int32) async throws(CatalogueError) -> HeadSnapshot {
        let known = try await heads.value(of: channel) { await self.readHead(of: channel, $0) }
        guard let known else { throw .unreadable("channel \(channel) has no published head") }
        return HeadSnapshot(known.value, asOf: known.asOf, age: clock.steady() - known.asOf)
    }

    /// All segments that overlap a window, and the markers that lie in it.
    ///
    /// In the published scope only those that begin before the watermark of the head.
    func heldSegments(
        of head: ChannelHead, in window: TimeWindow, scope: SegmentScope,
    ) async throws(CatalogueError) -> HeldSegments {
        guard window.microseconds > Limits.longWindow else {
            return try await heldSegmentsAtOnce(of: head, in: window, scope: scope)
        }
        let held = try await longWindows.withPermit { () async throws(CatalogueError) in
            // Composing a long window takes long even from memory. It must not block a thread that others
            // wait for.
            await Task.yield()
            return try await heldSegmentsAtOnce(of: head, in: window, scope: scope)
        }
        guard let held else { throw .notInTime }
        return held
    }

    private func heldSegmentsAtOnce(
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
        let end = min(window.end, head.publishedHead.watermark) + Limits.markerLead
        return HeldSegments(
            publishedHead: head.publishedHead, renditions: records, formats: formats,
            markers: try await markers.markers(of: head, in: TimeWindow(begin: window.begin, end: end)))
    }

    /// Updates blocks and markers before a newer head becomes visible, so that no answer combines a new head
    /// with old blocks.
    func readHead(
        of channel: Int32, _ known: StaleWhileUnavailableCache<Int32, TrackedHead>.Known?,
    ) async -> Result<TrackedHead?, CatalogueError> {
        await Result { () async throws(CatalogueError) in
            let head = try await catalogue.head(of: channel)
            // A read may take long, so its result counts from its end.
            let seen = clock.steady()
            if let known, known.value.head.revision == head.revision { return known.value }
            let touched = announced.touched(
                channel, after: known?.value.head.revision, upTo: head.revision)
            try await blocks.renew(head.renditions, touched: touched)
            try await markers.renew(head)
            return known?.value.following(head, at: seen) ?? TrackedHead(head, at: seen)
        }
    }
}
