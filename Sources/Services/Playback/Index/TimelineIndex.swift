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
    let refreshQueue = HeadRefreshQueue()
    let confirmations = HeadConfirmations()
    /// Whether other nodes answer the same viewers.
    package let isShared: Bool
    let directory: ChannelDirectory
    private let blocks: Blocks
    private let markers: MarkerCache
    private let targetRises: TargetRiseCache
    /// Windows that are read from the catalogue: each is in memory as a whole, beside the cache.
    private let coldWindows: ClientTurns
    /// Those of few blocks.
    private let shortWindows: ClientTurns
    /// The data of a window of many days exceeds the cache.
    private let longWindows: ClientTurns

    /// Requests for what is recorded near a window that holds nothing, or missing in one.
    private let searches: ClientTurns
    private let nearest = NearestSpans()
    private let blockIndexes: ChannelBlockIndexes

    /// Creates an index.
    ///
    /// Cached data remains valid for `maxStaleSeconds` while the catalogue is unavailable. After that its
    /// files may have been deleted. `isShared` says that other nodes answer the same viewers. Windows are
    /// read from the catalogue on `executor`, with nil on the runtime's threads. `exceeded` is called
    /// when a day comes into memory that has more markers than are stated.
    package init(
        catalogue: Catalogue, maxStaleSeconds: Int64, isShared: Bool = false,
        executor: (any TaskExecutor)? = nil, clock: HostClock,
        exceeded: @escaping @Sendable (ExcessMarkers) -> Void = { _ in },
    ) {
        self.catalogue = catalogue
        self.isShared = isShared
        self.clock = clock
        let maxStaleAge = Duration.seconds(maxStaleSeconds)
        channels = StaleWhileUnavailableCache(
            capacity: Limits.cachedChannels, maxStaleAge: maxStaleAge, clock: clock)
        heads = StaleWhileUnavailableCache(
            capacity: Limits.cachedChannels, maxStaleAge: maxStaleAge, clock: clock)
        directory = ChannelDirectory(catalogue: catalogue, clock: clock)
        let blockIndexes = ChannelBlockIndexes()
        self.blockIndexes = blockIndexes
        blocks = Blocks(
            catalogue: catalogue, capacity: Limits.blockBytes, executor: executor, clock: clock
        ) {
            blockIndexes.dropAll()
        }
        markers = MarkerCache(catalogue: catalogue, clock: clock, exceeded: exceeded)
        targetRises = TargetRiseCache(catalogue: catalogue)
        coldWindows = ClientTurns(
            Limits.coldTurns, perClient: Limits.coldTurnsPerClient, waiting: Limits.coldWindowsWaiting,
            clock: clock)
        shortWindows = ClientTurns(
            Limits.shortTurns, perClient: Limits.shortTurnsPerClient, waiting: Limits.shortWindowsWaiting,
            clientWaiting: Limits.clientShortWindowsWaiting, clock: clock)
        searches = ClientTurns(
            Limits.searchesAtOnce, perClient: Limits.searchesPerClient, waiting: Limits.searchesWaiting,
            clock: clock)
        longWindows = ClientTurns(
            Limits.longWindowsAtOnce, perClient: Limits.longWindowsPerClient,
            waiting: Limits.longWindowsWaiting, clock: clock)
    }

    /// The channel with an id, even if it is deleted; nil if it never existed.
    package func channel(_ id: ChannelID) async throws(CatalogueError) -> Channel? {
        if directory.lacks(id) { return nil }
        return try await channels.value(of: id) { [catalogue] _ in
            await Result { () async throws(CatalogueError) in try await catalogue.channel(id) }
        }?.value
    }

    /// The head of a channel, used for the whole answer.
    ///
    /// Among several nodes it is brought up to date for a growing playlist, and for a closed window that does
    /// not end within it: another node may have named that end because it knows more.
    func head(
        of channel: Int32, isGrowing: Bool, upTo end: Instant? = nil,
    ) async throws(CatalogueError) -> HeadSnapshot {
        let arrived = clock.steady()
        if isGrowing { await catchUp(channel) }
        var known = try await knownOrRead(channel)
        if let end, isShared, known.asOf < arrived, end > known.value.head.publishedHead.watermark {
            await catchUp(channel)
            known = try await knownOrRead(channel)
        }
        return HeadSnapshot(known.value, asOf: known.asOf, age: clock.steady() - known.asOf)
    }

    private func knownOrRead(
        _ channel: Int32
    ) async throws(CatalogueError) -> StaleWhileUnavailableCache<Int32, TrackedHead>.Known {
        let known = try await heads.value(of: channel) { await self.readHead(of: channel, $0) }
        guard let known else { throw .unreadable("channel \(channel) has no published head") }
        return known
    }

    /// The channel with an id, if it is known without asking the catalogue.
    package func knownChannel(_ id: ChannelID) -> Channel? {
        channels.fresh(id)?.value
    }

    /// What is read of a channel, if it is known without asking the catalogue.
    package func knownChannel<Part>(_ id: ChannelID, _ read: (borrowing Channel) -> Part) -> Part? {
        channels.fresh(id).map { read($0.value) }
    }

    /// The head of a channel, if it is known without asking the catalogue.
    func knownHead(of channel: Int32) -> HeadSnapshot? {
        guard let known = heads.fresh(channel) else { return nil }
        return HeadSnapshot(known.value, asOf: known.asOf, age: clock.steady() - known.asOf)
    }

    /// The revision of a channel, if it is known without asking the catalogue.
    package func knownRevision(of channel: Int32) -> Int64? {
        heads.fresh(channel)?.value.head.revision
    }

    /// What memory holds of a channel.
    func blockIndex(of head: ChannelHead) -> ChannelBlockIndex {
        blockIndexes.blockIndex(of: head, blockCount: blocks.insertedCount) {
            ChannelBlockIndex(head) { blocks.held(of: $0.row) }
        }
    }

    /// Lets the block index of a channel be made again, because it lacks blocks.
    func dropBlockIndex(of channel: Int32) {
        blockIndexes.drop(channel, blockCount: blocks.insertedCount)
    }

    /// All segments that overlap a window, and the markers that lie in it.
    ///
    /// In the published scope only segments that begin before the watermark of the head. Few windows are read
    /// from the catalogue at a time, and fewer for one client. Throws `busy` if a window waits too long, or
    /// if too many already wait.
    func heldSegments(
        of head: ChannelHead, in window: TimeWindow, scope: SegmentScope, for client: String?,
    ) async throws(PlaybackError) -> HeldSegments {
        let selection = BlockSelection(window: window, scope: scope, watermark: head.publishedHead.watermark)
        let read = { () async throws(PlaybackError) in
            try await PlaybackError.mapping { () async throws(CatalogueError) in
                try await self.heldSegmentsAtOnce(of: head, selection)
            }
        }
        // What has not been recorded yet costs nothing.
        let end = scope == .published ? min(window.end, head.publishedHead.watermark) : window.end
        if end - window.begin > Limits.longWindow { return try await longWindows.take(for: client, read) }
        let ranges = head.renditions.compactMap { selection.range(of: $0) }
        let missing = blocks.missing(ranges)
        if missing > Limits.shortWindowBlocks {
            return try await coldWindows.take(Limits.turns(forBlocks: missing), for: client, read)
        }
        // Many may ask for what one of them is reading.
        if missing == 0 || blocks.areHeldOrLoading(ranges) { return try await read() }
        return try await shortWindows.take(for: client, read)
    }

    /// Reads the key frames of blocks that do not have them in memory, in turns as windows are.
    func readKeyFrames(
        of blocks: [Block], _ rendition: RenditionID, isCompressed: Bool, for client: String?,
    ) async throws(PlaybackError) {
        let missing = blocks.filter { $0.keyFrames.load() == nil }
        guard !missing.isEmpty else { return }
        let read = { () async throws(PlaybackError) in
            try await PlaybackError.mapping { () async throws(CatalogueError) in
                try await self.blocks.readKeyFrames(of: missing, rendition, isCompressed: isCompressed)
            }
        }
        try await turns(of: missing).take(for: client, read)
    }

    /// Measures the bit rates of key frames that are not known yet, in turns as windows are read.
    func measureKeyFrames(
        of blocks: [Block], _ rates: KeyFrameRates, for client: String?,
    ) async throws(PlaybackError) {
        let unknown = rates.unknown(blocks)
        guard !unknown.isEmpty else { return }
        try await turns(of: unknown).take(for: client) { () async throws(PlaybackError) in
            // Another request may have measured the same meanwhile.
            let unknown = rates.unknown(unknown)
            let found = try await PlaybackError.mapping { () async throws(CatalogueError) in
                try await self.blocks.keyFrames(of: unknown)
            }
            for (block, own) in zip(unknown, found) { rates.keep(block.keyFrameRate(own), for: block.place) }
        }
    }

    private func turns(of blocks: [Block]) -> ClientTurns {
        blocks.count > Limits.shortWindowBlocks ? coldWindows : shortWindows
    }

    private func heldSegmentsAtOnce(
        of head: ChannelHead, _ selection: BlockSelection,
    ) async throws(CatalogueError) -> HeldSegments {
        var records: [ListedRendition] = []
        var formats: [Int32: SegmentFormat] = [:]
        let window = selection.window
        for rendition in head.renditions {
            var found: [Block] = []
            if let range = selection.range(of: rendition) {
                found = try await blocks.blocks(range, of: rendition.description.id)
            }
            for block in found { formats.merge(block.formats) { known, _ in known } }
            records.append(
                ListedRendition(
                    description: rendition.description, segments: selection.segments(of: found),
                    firstQuarter: rendition.firstQuarter))
        }
        let end = min(window.end, head.publishedHead.watermark)
        let near = TimeWindow(begin: window.begin, end: end).withMarkers
        return HeldSegments(
            publishedHead: head.publishedHead, renditions: records, formats: formats,
            markers: try await markers.markers(of: head, in: near),
            targetRises: selection.scope == .published ? try await targetRises.rises(of: head) : [])
    }

    /// The markers that lie in a window or near it; nil if they are not in memory.
    func knownMarkers(of head: ChannelHead, near window: TimeWindow) -> [MarkerText]? {
        markers.known(of: head, in: window.withMarkers)
    }

    /// The recorded spans nearest to a window, nearest first.
    ///
    /// A search in the same quarters of an hour is answered from memory for some seconds, and for as long as
    /// the channel does not change. One client may run fewer searches at a time than all clients together.
    func available(
        of channel: Int32, near window: TimeWindow, for client: String?,
    ) async throws(PlaybackError) -> [TimeWindow] {
        let place = NearestSpans.CacheKey(channel: channel, quarters: window.wholeQuarters)
        let revision = heads.known(channel)?.head.revision
        var spans = nearest.spans(place, revision: revision, now: clock.steady())
        if spans == nil {
            let found = try await search(for: client) { () async throws(CatalogueError) in
                try await catalogue.available(
                    of: channel, near: place.quarters, limit: Limits.nearestSpans)
            }
            nearest.keep(found, for: place, revision: revision, now: clock.steady())
            spans = found
        }
        let ordered = (spans ?? []).sorted { $0.distance(to: window) < $1.distance(to: window) }
        return Array(ordered.prefix(Limits.spansOffered))
    }

    /// The recorded spans within a window, in order.
    package func coverage(
        of channel: Channel, in window: TimeWindow, for client: String?,
    ) async throws(PlaybackError) -> [TimeWindow] {
        try await search(for: client) { () async throws(CatalogueError) in
            try await catalogue.coverage(of: channel.row, in: window)
        }
    }

    /// The first instant at or after another at which something is recorded.
    func firstRecorded(
        of channel: Int32, from begin: Instant, for client: String?,
    ) async throws(PlaybackError) -> Instant? {
        try await search(for: client) { () async throws(CatalogueError) in
            try await catalogue.firstRecorded(of: channel, from: begin)
        }
    }

    /// The time that renditions lack in a window of which they hold nothing.
    func missingTime(
        of renditions: [RenditionID], of channel: Channel, in window: TimeWindow, for client: String?,
    ) async throws(PlaybackError) -> [RenditionID: WindowSet] {
        try await search(for: client) { () async throws(CatalogueError) in
            try await catalogue.missingTime(of: renditions, of: channel.row, in: window)
        }
    }

    private func search<Found>(
        for client: String?, _ ask: () async throws(CatalogueError) -> Found,
    ) async throws(PlaybackError) -> Found {
        try await searches.take(for: client) { () async throws(PlaybackError) in
            try await PlaybackError.mapping(ask)
        }
    }

    /// Updates blocks, markers, target durations and the block index before a newer head becomes visible, so
    /// that no answer combines a new head with old blocks, and not every viewer reads them.
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
            try await blocks.refresh(head.renditions, touched: touched)
            try await markers.refresh(head)
            _ = try await targetRises.rises(of: head)
            blockIndexes.renew(head, blockCount: blocks.insertedCount) { previous in
                ChannelBlockIndex(head, replacing: previous) { blocks.held(of: $0.row) }
            }
            return known?.value.following(head, at: seen) ?? TrackedHead(head, at: seen)
        }
    }
}
