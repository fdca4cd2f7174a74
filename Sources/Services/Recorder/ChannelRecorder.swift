import Catalogue
import HLS
import HTTP
import Journal
import Logging
import Metrics
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

    private(set) var publisher: Publisher
    private(set) var renditions: [RenditionID: RenditionProgress] = [:]
    private var feed: FeedFact?
    private var restoredFeeds: Set<Int64> = []
    private var newFeeds: [FeedFact] = []
    private var newDescriptions: [RenditionDescription] = []
    private var newLosses: [Loss] = []
    private var positions: [SegmentIdentity: JournalPosition] = [:]
    private var feedPositions: [JournalPosition] = []
    private var lastLine: LineUpdate?
    /// Starts that the leading rendition decided in the feed, for sources without dates.
    private var sharedStarts: [Int64: Instant] = [:]
    private var trouble: (reason: GapReason, since: Instant)?
    private(set) var status: ChannelStatus

    init(channel: Channel, lease: Lease, parts: RecorderParts, journal: ChannelJournal, logger: Logger) {
        self.channel = channel
        self.lease = lease
        self.parts = parts
        self.journal = journal
        self.logger = logger
        publisher = Publisher(line: lease.line)
        status = ChannelStatus(state: .waiting, since: parts.clock.now())
        status.liveEdge = lease.line.watermark.microseconds > 0 ? lease.line.watermark : nil
    }

    private var now: Instant { parts.clock.now() }

    // MARK: Taking over

    /// Goes on where the catalogue and the journal stand.
    func resume(heads: [RenditionHead], replayed: [(JournalPosition, JournalEntry)]) {
        for head in heads {
            renditions[head.description.id] = RenditionProgress(resuming: head, choice: channel.settings.clock)
            restoredFeeds.formUnion(head.known.map(\.feed))
            publisher.open(lane(resuming: head))
        }
        let known = Set(
            heads.flatMap { head in
                head.known.filter { !$0.isLost }.map {
                    SegmentIdentity(rendition: head.description.id, feed: $0.feed, number: $0.number)
                }
            })
        replay(replayed, known: known)
        publishStatus()
    }

    private func lane(resuming head: RenditionHead) -> Lane {
        var lane = Lane(rendition: head.description.id, nextNumber: head.nextNumber, now: now)
        lane.publishedEnd = head.last?.end
        lane.settledEnd = head.last?.end
        lane.epoch = head.last?.epoch
        lane.state = head.last?.state
        return lane
    }

    /// Enters what the journal has and the catalogue has not, as if it had just been stored.
    private func replay(_ entries: [(JournalPosition, JournalEntry)], known: Set<SegmentIdentity>) {
        var facts: [SegmentFact] = []
        for (position, entry) in entries {
            switch entry {
            case .segment(var fact):
                positions[fact.identity] = position
                fact.fence = lease.fence
                facts.append(fact)
            case .feed(let fact):
                newFeeds.append(fact)
                feedPositions.append(position)
            case .loss(let loss):
                newLosses.append(loss)
                feedPositions.append(position)
            }
        }
        for fact in facts.sorted(by: { $0.start < $1.start }) {
            resumeNumbering(with: fact)
            if known.contains(fact.identity) {
                newlyKnown.append(fact.identity)
                continue
            }
            let slot = Lane.Slot(identity: fact.identity, start: fact.start, duration: fact.duration)
            publisher.listed([slot], of: fact.identity.rendition, now: now)
            publisher.stored(fact)
        }
    }

    /// Identities whose journal lines can be trimmed at once, because the catalogue has them.
    private var newlyKnown: [SegmentIdentity] = []

    /// A replayed fact is also what the source's numbering is compared with.
    private func resumeNumbering(with fact: SegmentFact) {
        let id = fact.identity.rendition
        if renditions[id] == nil { open(RenditionDescription(id: id)) }
        guard var progress = renditions[id], fact.identity.feed >= progress.feed ?? 0 else { return }
        let isNewFeed = progress.feed != fact.identity.feed
        if isNewFeed { progress.digests = [:] }
        progress.digests[fact.identity.number] = fact.digest
        progress.feed = fact.identity.feed
        let highest = max(isNewFeed ? 0 : progress.follower.highest ?? 0, fact.identity.number)
        progress.follower = PlaylistFollower(resumingAfter: highest)
        progress.placing = TimePlacing(
            choice: channel.settings.clock, end: max(progress.placing.end ?? fact.end, fact.end))
        renditions[id] = progress
    }

    // MARK: Renditions and lists

    /// Knows a rendition from now on.
    func open(_ description: RenditionDescription) {
        if renditions[description.id] == nil {
            renditions[description.id] = RenditionProgress(description, choice: channel.settings.clock)
            publisher.open(Lane(rendition: description.id, now: now))
        }
        guard renditions[description.id]?.description != description || !describedRenditions.contains(description.id)
        else { return }
        renditions[description.id]?.description = description
        describedRenditions.insert(description.id)
        newDescriptions.append(description)
    }

    private var describedRenditions: Set<RenditionID> = []

    /// A source is in use from now on; the numbering of another one does not go on.
    func use(_ source: SourceSettings, changed: Bool) {
        status.sourceURL = Self.redacted(source.url)
        status.sourcePriority = source.priority
        status.acceptsInvalidCertificate = source.allowInvalidCertificate
        if changed {
            feed = nil
            for id in renditions.keys {
                renditions[id]?.follower.reset()
                renditions[id]?.feed = nil
            }
        }
        publishStatus()
    }

    /// A list of a rendition arrived: decides what is new and when it was.
    func listArrived(_ list: MediaPlaylist, of id: RenditionID, arrival: Instant) async throws -> ListOutcome {
        guard var progress = renditions[id], !list.segments.isEmpty else {
            return ListOutcome(ended: list.isEnded)
        }
        publisher.sourceTarget(Int((PlaylistFollower.target(of: list) + 999_999) / 1_000_000))
        var outcome = ListOutcome(ended: list.isEnded)
        switch progress.follower.judge(list, now: arrival) {
        case .nothingNew:
            progress.follower.take(list, now: arrival)
            renditions[id] = progress
        case .stale:
            break
        case .undecided(let index):
            outcome.probe = probe(list, index, progress)
        case .new(let from, let missing):
            let isFirst = progress.feed == nil
            try await joinFeed(&progress, list, restart: nil, arrival: arrival)
            outcome.segments = take(
                list, from: from, &progress, opensHole: isFirst || missing > 0,
                cause: isFirst ? "source" : missing > 0 ? "hole" : nil,
                hole: missing > 0 ? .sourceJump : .sourceStalled, arrival: arrival)
        case .restart(let reason):
            try await joinFeed(&progress, list, restart: reason, arrival: arrival)
            outcome.segments = take(
                list, from: 0, &progress, opensHole: true, cause: "restart", hole: .sourceStalled, arrival: arrival)
        }
        outcome.changed = !outcome.segments.isEmpty
        settleTrouble(ended: list.isEnded)
        return outcome
    }

    /// The bytes of the segment in question were read: the numbering goes on, or another one began.
    func probed(_ digest: [UInt8], _ probe: ListedSegment, _ list: MediaPlaylist, arrival: Instant) async throws
        -> ListOutcome
    {
        let id = probe.identity.rendition
        guard let known = renditions[id]?.digests[probe.identity.number], !known.isEmpty else {
            renditions[id]?.follower.confirm()
            return try await listArrived(list, of: id, arrival: arrival)
        }
        if known == digest {
            renditions[id]?.follower.confirm()
            return try await listArrived(list, of: id, arrival: arrival)
        }
        guard var progress = renditions[id] else { return ListOutcome() }
        try await joinFeed(&progress, list, restart: "a known number names another segment", arrival: arrival)
        let segments = take(
            list, from: 0, &progress, opensHole: true, cause: "restart", hole: .sourceStalled, arrival: arrival)
        return ListOutcome(segments: segments, changed: true, ended: list.isEnded)
    }

    private func probe(_ list: MediaPlaylist, _ index: Int, _ progress: RenditionProgress) -> ListedSegment? {
        guard let number = PlaylistFollower.number(list, index), let feed = progress.feed else { return nil }
        return ListedSegment(
            identity: SegmentIdentity(rendition: progress.id, feed: feed, number: number),
            entry: list.segments[index], start: now, duration: 1, flags: [], domain: progress.domain,
            availableUntil: now)
    }

    /// Gives the progress a feed: the channel's current one, or a new one when none fits.
    private func joinFeed(
        _ progress: inout RenditionProgress, _ list: MediaPlaylist, restart: String?, arrival: Instant,
    ) async throws {
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
            id: arrival.milliseconds << 20 | Int64.random(in: 0..<(1 << 20)), source: status.sourceURL ?? "",
            began: arrival, clock: (isDated ? progress.placing.clock : .arrival).rawValue)
        logger.info(
            "A feed begins", metadata: ["rendition": "\(progress.id)", "cause": "\(restart ?? "first list")"])
        feed = begun
        sharedStarts = [:]
        progress.feed = begun.id
        newFeeds.append(begun)
        feedPositions += try await journal.append([.feed(begun)])
    }

    private func take(
        _ list: MediaPlaylist, from: Int, _ progress: inout RenditionProgress, opensHole: Bool, cause: String?,
        hole: GapReason, arrival: Instant,
    ) -> [ListedSegment] {
        let before = progress.placing.end
        let reason = trouble?.reason ?? hole
        let segments = progress.list(
            list, from: from, opensHole: opensHole, cause: before == nil ? nil : cause, hole: reason,
            arrival: arrival, shared: sharedStarts)
        progress.follower.take(list, now: arrival)
        progress.status.seen += segments.count
        progress.lastListed = arrival
        renditions[progress.id] = progress
        share(segments, of: progress.id)
        noteHoles(segments, before: before, of: progress.id)
        publisher.listed(
            segments.map {
                Lane.Slot(identity: $0.identity, start: $0.start, duration: $0.duration, boundary: $0.boundary)
            }, of: progress.id, now: arrival)
        for segment in segments where segment.entry.isGap {
            lost(segment, FetchFailure(.sourceGap, "EXT-X-GAP", isTransient: false))
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

    // MARK: Segments

    /// A segment's bytes are durable: the fact goes to the journal, then to the publisher.
    func stored(_ listed: ListedSegment, _ stored: SegmentFetcher.Stored) async throws {
        guard case .segment(_, _, let name) = stored.object.key else { return }
        let fact = SegmentFact(
            channel: channel.id, identity: listed.identity, start: listed.start, duration: listed.duration,
            revision: name.revision, state: settled(stored.state, of: listed.identity.rendition), flags: stored.flags,
            storedBytes: stored.object.byteCount, plainBytes: stored.plainBytes, iv: stored.iv,
            programDateTime: listed.entry.programDateTimeMicroseconds.map { Instant(microseconds: $0) },
            arrived: now, firstTimestamp: stored.firstTimestamp, digest: stored.object.digest, fence: lease.fence)
        positions[fact.identity] = try await journal.append([.segment(fact)]).first
        renditions[fact.identity.rendition]?.count(fact)
        publisher.stored(fact)
        Counter(label: "backcast_segments_stored_total", dimensions: labels(fact.identity.rendition)).increment()
        Counter(label: "backcast_stored_bytes_total", dimensions: labels(fact.identity.rendition))
            .increment(by: fact.storedBytes)
    }

    /// A segment will not come.
    func lost(_ listed: ListedSegment, _ failure: FetchFailure) {
        let id = listed.identity.rendition
        renditions[id]?.countLost(failure.reason)
        publisher.lost(listed.identity, reason: failure.reason, note: failure.description)
        Counter(
            label: "backcast_segments_lost_total", dimensions: labels(id) + [("reason", failure.reason.word)]
        ).increment()
        logger.warning(
            "A segment is lost",
            metadata: [
                "rendition": "\(id)", "number": "\(listed.identity.number)", "reason": "\(failure.reason.word)",
                "cause": "\(failure)",
            ])
    }

    /// What a segment does not say of its codecs is taken from the one before it with the same tracks.
    private func settled(_ state: MediaState, of id: RenditionID) -> MediaState {
        guard let last = lastStates[id], last.tracks == state.tracks, last.initName == state.initName else {
            lastStates[id] = state
            return state
        }
        var state = state
        if state.codecs.isEmpty { state.codecs = last.codecs }
        if state.width == 0 { (state.width, state.height) = (last.width, last.height) }
        lastStates[id] = state
        return state
    }

    private var lastStates: [RenditionID: MediaState] = [:]

    private func labels(_ rendition: RenditionID) -> [(String, String)] {
        [("channel", channel.id.text), ("rendition", rendition.description)]
    }

    // MARK: Publishing

    /// Publishes what can be published and enters it.
    ///
    /// - Returns: false when the lease is lost
    func commit() async throws -> Bool {
        let decisions = publisher.advance(now: now)
        for lost in decisions.losses where lost.reason == .segmentMissing {
            logger.warning(
                "A segment was not stored in its turn", metadata: ["rendition": "\(lost.rendition?.description ?? "")"])
        }
        let line = LineUpdate(
            epoch: publisher.epoch, end: publisher.end, watermark: publisher.watermark,
            targetSeconds: publisher.targetSeconds)
        var batch = Batch(channel: channel.row, fence: lease.fence, line: line)
        (batch.segments, batch.epochs) = (decisions.segments, decisions.epochs)
        (batch.losses, batch.lost) = (decisions.losses + newLosses, decisions.lost)
        (batch.feeds, batch.renditions) = (newFeeds, newDescriptions)
        let isIdle = decisions.isEmpty && batch.losses.isEmpty && batch.feeds.isEmpty && batch.renditions.isEmpty
        if isIdle && line == lastLine && newlyKnown.isEmpty { return true }
        (newLosses, newFeeds, newDescriptions) = ([], [], [])
        let held = try await enter(batch)
        lastLine = line
        await trim(batch)
        status.liveEdge = line.watermark.microseconds > 0 ? line.watermark : nil
        publishStatus()
        return held
    }

    /// Enters a batch, however long the catalogue is away: recording goes on meanwhile, the journal has the facts.
    private func enter(_ batch: Batch) async throws -> Bool {
        var delay = 0.2
        while true {
            do {
                return try await parts.catalogue.remember(batch)
            } catch {
                guard error.isTransient, !Task.isCancelled else { throw error }
                logger.warning("The catalogue is away", metadata: ["cause": "\(error)"])
                try await Task.sleep(for: .seconds(delay))
                delay = min(delay * 2, 5)
            }
        }
    }

    private func trim(_ batch: Batch) async {
        let entered = batch.segments.map(\.fact.identity) + newlyKnown
        let done = entered.compactMap { positions.removeValue(forKey: $0) }
        let feeds = batch.feeds.isEmpty ? [] : feedPositions
        if !batch.feeds.isEmpty { feedPositions = [] }
        newlyKnown = []
        await journal.trim(done + feeds)
    }

    // MARK: Status

    /// The source does not deliver; `nil` reason: it is just another remark.
    func inTrouble(_ reason: GapReason, _ detail: String) {
        if trouble == nil {
            trouble = (reason, now)
            logger.warning("The source does not deliver", metadata: ["cause": "\(detail)"])
        }
        status.detail = detail
        publishStatus()
    }

    private func settleTrouble(ended: Bool) {
        if ended {
            trouble = (.sourceEnded, trouble?.since ?? now)
            status.detail = "the source has ended its playlist"
        } else if trouble != nil {
            trouble = nil
            status.detail = nil
            logger.info("The source delivers again")
        }
        if !ended, status.detail == nil, let distrust = renditions.values.compactMap(\.placing.distrust).first {
            status.detail = distrust
        }
        publishStatus()
    }

    private func publishStatus() {
        status.renditions = renditions.values.map(\.status).sorted { $0.id < $1.id }
        status.state = state
        parts.board.set(status, of: channel.id)
    }

    private var state: ChannelStatus.State {
        guard renditions.values.contains(where: { $0.status.stored > 0 || $0.placing.end != nil }) else {
            return .waiting
        }
        if trouble?.reason == .sourceEnded { return .ended }
        let listed = renditions.values.compactMap(\.lastListed).max() ?? status.since
        let patience = Int64(3 * max(publisher.targetSeconds, 1)) * 1_000_000
        return now - listed > patience ? .stalled : .recording
    }

    /// Looks whether time alone has changed the state.
    func refreshStatus() {
        publishStatus()
    }

    /// A URL without user info and query: those may be secrets.
    static func redacted(_ text: String) -> String {
        (try? HTTPURL(text))?.description ?? "a URL that cannot be read"
    }
}
