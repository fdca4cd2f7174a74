import Catalogue
import HLS
import HTTP
import Journal
import Logging
import SegmentStore
import Timeline

/// Records one channel under one lease: keeps its time line, hands facts to the journal, and publishes in order. The
/// actor decides; fetching happens outside of it.
actor ChannelRecorder {
    /// What a list led to.
    struct ListOutcome: Sendable {
        var segments: [ListedSegment] = []
        /// The segment whose bytes tell a stale list from a restart.
        var probe: ListedSegment?
        var changed = false
        var ended = false
    }

    nonisolated let channel: Channel
    nonisolated let lease: Lease
    nonisolated let parts: RecorderParts
    nonisolated let logger: Logger
    let journal: ChannelJournal

    var publisher: Publisher
    var renditions: [RenditionID: RenditionProgress] = [:]
    var feed: FeedFact?
    var restoredFeeds: Set<Int64> = []
    var newFeeds: [FeedFact] = []
    var newDescriptions: [RenditionDescription] = []
    var newLosses: [Loss] = []
    var positions: [SegmentIdentity: JournalPosition] = [:]
    /// Lines of the journal that are done with the next batch.
    var donePositions: [JournalPosition] = []
    var keyPendings = KeyPendings()
    /// Decided and not entered yet: it goes in before anything else is decided.
    var unentered: PendingBatch?
    /// Begun and not in the journal yet.
    var unjournalled: [FeedFact] = []
    var lastLine: LineUpdate?
    /// Starts that the leading rendition decided in the feed, for sources without dates.
    var sharedStarts: [Int64: Instant] = [:]
    var trouble: (reason: GapReason, since: Instant)?
    /// What is wrong with single renditions while the source as a whole delivers.
    var ailments: [RenditionID: String] = [:]
    /// The URL of the source in use.
    var usedURL: String?
    /// The URL of the source that an earlier process recorded from, without user info and query.
    var earlierSource: String?
    var lastStates: [RenditionID: MediaState] = [:]
    var status: ChannelStatus
    /// When this process took the channel.
    nonisolated let began: ContinuousClock.Instant

    init(channel: Channel, lease: Lease, parts: RecorderParts, journal: ChannelJournal, logger: Logger) {
        self.channel = channel
        self.lease = lease
        self.parts = parts
        self.journal = journal
        self.logger = logger
        publisher = Publisher(line: lease.line)
        began = parts.clock.steady()
        status = ChannelStatus(state: .waiting, since: parts.clock.now())
        status.liveEdge = lease.line.watermark.microseconds > 0 ? lease.line.watermark : nil
    }

    var now: Instant { parts.clock.now() }

    // MARK: Renditions and lists

    /// Knows a rendition from now on.
    func open(_ description: RenditionDescription) {
        if renditions[description.id] == nil {
            renditions[description.id] = RenditionProgress(description, choice: channel.settings.clock)
            publisher.open(Lane(rendition: description.id, now: now))
        }
        guard
            renditions[description.id]?.description != description
                || !describedRenditions.contains(description.id)
        else { return }
        renditions[description.id]?.description = description
        describedRenditions.insert(description.id)
        newDescriptions.append(description)
    }

    private var describedRenditions: Set<RenditionID> = []

    /// A list of a rendition arrived: decides what is new and when it was.
    func listArrived(_ list: MediaPlaylist, of id: RenditionID, arrival: Arrival) async -> ListOutcome {
        guard var progress = renditions[id], !list.segments.isEmpty else {
            if list.isEnded {
                renditions[id]?.follower.end()
                settleTrouble(ended: true)
            }
            return ListOutcome(ended: list.isEnded)
        }
        let list = progress.alignment.corrected(list)
        renditions[id]?.alignment = progress.alignment
        publisher.sourceTarget(Int((PlaylistFollower.target(of: list) + 999_999) / 1_000_000))
        var outcome = ListOutcome(ended: list.isEnded)
        switch progress.follower.judge(list, now: arrival.moment) {
        case .nothingNew:
            progress.follower.take(list, now: arrival.moment)
            renditions[id] = progress
        case .stale:
            break
        case .undecided(let index):
            outcome.probe = probe(list, index, progress)
        case .new(let from, let missing):
            let isFirst = progress.feed == nil
            joinFeed(&progress, list, restart: nil, arrival: arrival)
            outcome.segments = take(
                list, from: from, &progress, opensHole: isFirst || missing > 0,
                cause: isFirst ? "source" : missing > 0 ? "hole" : nil,
                hole: missing > 0 ? .sourceJump : .sourceStalled, arrival: arrival)
        case .restart(let reason):
            joinFeed(&progress, list, restart: reason, arrival: arrival)
            outcome.segments = take(
                list, from: 0, &progress, opensHole: true, cause: "restart", hole: .sourceStalled,
                arrival: arrival)
        }
        await journalFeeds()
        outcome.changed = !outcome.segments.isEmpty
        settleTrouble(ended: list.isEnded)
        return outcome
    }

    /// The bytes of the segment in question were read: the numbering goes on, or another one began.
    ///
    /// Bytes that cannot be read for want of a key tell nothing: the numbering goes on.
    func probed(
        _ digest: [UInt8]?, _ probe: ListedSegment, _ list: MediaPlaylist, arrival: Arrival,
    ) async -> ListOutcome {
        let id = probe.identity.rendition
        guard let digest, let known = renditions[id]?.digests[probe.identity.number], !known.isEmpty else {
            renditions[id]?.follower.confirm()
            return await listArrived(list, of: id, arrival: arrival)
        }
        if known == digest {
            renditions[id]?.follower.confirm()
            return await listArrived(list, of: id, arrival: arrival)
        }
        guard var progress = renditions[id] else { return ListOutcome() }
        let list = progress.alignment.corrected(list)
        joinFeed(&progress, list, restart: "a known number names another segment", arrival: arrival)
        let segments = take(
            list, from: 0, &progress, opensHole: true, cause: "restart", hole: .sourceStalled,
            arrival: arrival)
        await journalFeeds()
        return ListOutcome(segments: segments, changed: true, ended: list.isEnded)
    }

    private func probe(_ list: MediaPlaylist, _ index: Int, _ progress: RenditionProgress) -> ListedSegment? {
        guard let number = PlaylistFollower.number(list, index), let feed = progress.feed else { return nil }
        return ListedSegment(
            identity: SegmentIdentity(rendition: progress.id, feed: feed, number: number),
            entry: list.segments[index], start: now, duration: 1, flags: [], domain: progress.domain,
            availableUntil: parts.clock.steady())
    }

    /// Gives the progress a feed: the channel's current one, or a new one when none fits.
    private func joinFeed(
        _ progress: inout RenditionProgress, _ list: MediaPlaylist, restart: String?, arrival: Arrival,
    ) {
        if restart == nil, progress.feed != nil { return }
        if restart != nil || progress.feed == nil {
            progress.follower.reset()
            progress.placing.beginFeed()
            progress.domain += 1
            progress.digests = [:]
        }
        if let feed, progress.feed != feed.id, progress.feed != nil || restart == nil {
            progress.feed = feed.id
            return
        }
        let isDated = list.segments.contains { $0.programDateTimeMicroseconds != nil }
        let begun = FeedFact(
            id: arrival.date.milliseconds << 20 | Int64.random(in: 0..<(1 << 20)),
            source: status.sourceURL ?? "",
            began: arrival.date, clock: (isDated ? progress.placing.clock : .arrival).rawValue)
        logger.info(
            "A feed begins", metadata: ["rendition": "\(progress.id)", "cause": "\(restart ?? "first list")"])
        feed = begun
        sharedStarts = [:]
        progress.feed = begun.id
        unjournalled.append(begun)
    }

    /// Hands feeds that began to the journal and to the next batch.
    ///
    /// Segments do not depend on it: a journal that cannot be written now says so again with the first of
    /// them.
    private func journalFeeds() async {
        let feeds = unjournalled
        guard !feeds.isEmpty else { return }
        unjournalled = []
        newFeeds += feeds
        do {
            donePositions += try await journal.append(feeds.map { .feed($0) })
        } catch {
            logger.warning("A feed is not in the journal", metadata: ["cause": "\(error)"])
        }
    }

    private func take(
        _ list: MediaPlaylist, from: Int, _ progress: inout RenditionProgress, opensHole: Bool,
        cause: String?, hole: GapReason, arrival: Arrival,
    ) -> [ListedSegment] {
        let before = progress.placing.end
        let reason = trouble?.reason ?? hole
        let segments = progress.list(
            list, from: from, opensHole: opensHole, cause: before == nil ? nil : cause, hole: reason,
            arrival: arrival, shared: sharedStarts)
        progress.follower.take(list, now: arrival.moment)
        progress.status.seen += segments.count
        progress.lastListed = arrival.moment
        renditions[progress.id] = progress
        share(segments, of: progress.id)
        noteHoles(segments, before: before, of: progress.id)
        publisher.listed(
            segments.map {
                Lane.Slot(
                    identity: $0.identity, start: $0.start, duration: $0.duration, boundary: $0.boundary)
            }, of: progress.id, now: arrival.date)
        for segment in segments where segment.entry.isGap {
            lost(segment.identity, FetchFailure(.sourceGap, "EXT-X-GAP", isTransient: false))
        }
        status.clock = progress.placing.clock.rawValue
        status.clockOffsetSeconds = progress.placing.sourceOffset.map { Microseconds.seconds($0) }
        return segments.filter { !$0.entry.isGap }
    }

    /// The other renditions' segments of the same number begin when the leading one's do, where there are no dates.
    private func share(_ segments: [ListedSegment], of id: RenditionID) {
        guard id == renditions.keys.min() else { return }
        for segment in segments { sharedStarts[segment.identity.number] = segment.start }
        guard sharedStarts.count > 2 * Limits.recentEntries else { return }
        let oldest = sharedStarts.keys.sorted().dropLast(Limits.recentEntries)
        for number in oldest { sharedStarts[number] = nil }
    }

    private func noteHoles(_ segments: [ListedSegment], before: Instant?, of id: RenditionID) {
        var end = before
        for segment in segments {
            if let hole = segment.hole, let end, segment.start > end {
                newLosses.append(
                    Loss(window: TimeWindow(begin: end, end: segment.start), reason: hole, rendition: id))
            }
            end = segment.end
        }
    }
}
