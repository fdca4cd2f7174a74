import Catalogue
import Concurrency
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
    var feed: SourceRun?
    /// Begun, described or missing, and not in the journal yet.
    var unjournalled: [JournalEntry] = []
    /// Besides segments, what waits for the catalogue.
    var entries: [WaitingEntry] = []
    /// Lines of the segments that are held in memory.
    var positions: [SegmentIdentity: JournalPosition] = [:]
    var keyPendings = KeyPendings()
    /// Lines that say again what another one says or the catalogue has.
    var doneLines: [JournalPosition] = []
    /// What waits in the journal only; nil when everything that waits is held in memory.
    var backlog: Backlog?
    /// What the catalogue had when recording began, until what the journal had then has been read.
    var known: Set<SegmentIdentity> = []
    /// Decided and not entered yet: it goes in before anything else is decided.
    var unentered: PendingBatch?
    /// Whether another batch can follow the last one at once.
    var hasMore = false
    var lastPublishedHead: PublishedHeadUpdate?
    var sharedStarts = SharedStarts()
    /// The rendition whose starts the others take over: the first of those that are recorded now.
    var leading: RenditionID?
    var trouble: (reason: GapReason, since: Instant)?
    /// What is wrong with single renditions while the source as a whole delivers.
    var ailments: [RenditionID: String] = [:]
    /// When the bytes of a segment were last stored.
    var lastStored: ContinuousClock.Instant?
    /// Why the newest segments do not come, until one does.
    var refusal: String?
    /// The URL of the source in use.
    var usedURL: String?
    /// The feed that began last, in this process or an earlier one: its source is the one that was recorded from.
    var newestSourceRun: SourceRun?
    var lastStates: [RenditionID: SegmentFormat] = [:]
    var status: ChannelStatus
    /// When this process took the channel.
    nonisolated let began: ContinuousClock.Instant

    init(channel: Channel, lease: Lease, parts: RecorderParts, journal: ChannelJournal, logger: Logger) {
        self.channel = channel
        self.lease = lease
        self.parts = parts
        self.journal = journal
        self.logger = logger
        publisher = Publisher(publishedHead: lease.publishedHead)
        began = parts.clock.steady()
        status = ChannelStatus(state: .waiting, since: parts.clock.now())
        status.liveEdge = lease.publishedHead.watermark.microseconds > 0 ? lease.publishedHead.watermark : nil
    }

    var now: Instant { parts.clock.now() }

    // MARK: Renditions and lists

    /// A rendition of the source is recorded under this id from now on.
    ///
    /// The journal has its attributes before its first segment: whoever comes back with nothing but the journal must
    /// give it the same id.
    func open(_ description: RenditionDescription) async {
        guard renditions[description.id]?.description != description else { return }
        know(description)
        unjournalled.append(.rendition(description))
        await journalNews()
    }

    func know(_ description: RenditionDescription) {
        if renditions[description.id] == nil {
            renditions[description.id] = RenditionProgress(description, choice: channel.settings.clock)
            publisher.open(Lane(rendition: description.id, now: parts.clock.steady()))
        }
        renditions[description.id]?.description = description
    }

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
            outcome.segments = restart(&progress, list, reason, arrival: arrival)
        }
        await journalNews()
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
        guard var progress = renditions[id] else { return ListOutcome() }
        let corrected = progress.alignment.corrected(list)
        if known == digest {
            renditions[id]?.follower.confirm(by: corrected, now: arrival.moment)
            return await listArrived(list, of: id, arrival: arrival)
        }
        let reason = "a known number names another segment"
        let segments = restart(&progress, corrected, reason, arrival: arrival)
        await journalNews()
        return ListOutcome(segments: segments, changed: true, ended: list.isEnded)
    }

    /// The source counts anew: everything that the list has is new.
    private func restart(
        _ progress: inout RenditionProgress, _ list: MediaPlaylist, _ reason: String, arrival: Arrival,
    ) -> [ListedSegment] {
        joinFeed(&progress, list, restart: reason, arrival: arrival)
        return take(
            list, from: 0, &progress, opensHole: true, cause: "restart", hole: .sourceStalled,
            arrival: arrival)
    }

    private func probe(_ list: MediaPlaylist, _ index: Int, _ progress: RenditionProgress) -> ListedSegment? {
        guard let number = PlaylistFollower.number(list, index), let feed = progress.feed else { return nil }
        return ListedSegment(
            identity: SegmentIdentity(rendition: progress.id, run: feed, number: number),
            entry: list.segments[index], arrival: now, start: now, duration: 1, flags: [],
            domain: progress.domain, availableUntil: parts.clock.steady())
    }

    /// Gives the progress a feed: the channel's current one, or a new one when none fits.
    private func joinFeed(
        _ progress: inout RenditionProgress, _ list: MediaPlaylist, restart: String?, arrival: Arrival,
    ) {
        if restart == nil, progress.feed != nil { return }
        progress.follower.reset()
        progress.placing.beginFeed()
        progress.domain += 1
        progress.digests = [:]
        if let feed, progress.feed != feed.id, progress.feed != nil || restart == nil {
            progress.feed = feed.id
            return
        }
        let isDated = list.segments.contains { $0.programDateTimeMicroseconds != nil }
        let begun = SourceRun(
            id: nextFeed(at: arrival.date), source: status.sourceURL ?? "", began: arrival.date,
            clock: (isDated ? progress.placing.clock : .arrival).rawValue)
        logger.info(
            "A feed begins", metadata: ["rendition": "\(progress.id)", "cause": "\(restart ?? "first list")"])
        (feed, newestSourceRun) = (begun, begun)
        progress.feed = begun.id
        unjournalled.append(.sourceRun(begun))
    }

    /// An id above all before it, wherever the host's clock stands: the newest feed is the one with the highest id.
    ///
    /// The low bits are chance, as a node that is cut off may begin a feed at the same time.
    private func nextFeed(at date: Instant) -> Int64 {
        let known = (renditions.values.map(\.feed) + [newestSourceRun?.id]).compactMap { $0 }
        let next = known.max().map { ($0 >> 20) + 1 } ?? 0
        return max(date.milliseconds, next) << 20 | Int64.random(in: 0..<(1 << 20))
    }

    private func take(
        _ list: MediaPlaylist, from: Int, _ progress: inout RenditionProgress, opensHole: Bool,
        cause: String?, hole: GapReason, arrival: Arrival,
    ) -> [ListedSegment] {
        let before = progress.placing.end
        let reason = trouble?.reason ?? hole
        let segments = progress.list(
            list, from: from, opensHole: opensHole, cause: before == nil ? nil : cause, hole: reason,
            arrival: arrival, shared: sharedStarts.starts(in: progress.feed))
        progress.follower.take(list, now: arrival.moment)
        progress.status.seen += segments.count
        renditions[progress.id] = progress
        if progress.id == leading { sharedStarts.note(segments) }
        noteHoles(segments, before: before, of: progress.id)
        expect(segments)
        for segment in segments where segment.entry.isGap {
            lost(segment.asLost, FetchFailure(.sourceGap, "EXT-X-GAP", isTransient: false))
        }
        status.clock = progress.placing.clock.rawValue
        status.clockOffsetSeconds = progress.placing.sourceOffset.map { Microseconds.seconds($0) }
        return segments.filter { !$0.entry.isGap }
    }

    private func noteHoles(_ segments: [ListedSegment], before: Instant?, of id: RenditionID) {
        var end = before
        for segment in segments {
            if let hole = segment.hole, let end, segment.start > end {
                let window = TimeWindow(begin: end, end: segment.start)
                unjournalled.append(.loss(Loss(window: window, reason: hole, rendition: id)))
            }
            end = segment.end
        }
    }
}
