package import Catalogue
import Concurrency
import Journal
import Logging
import Monitoring
package import Timeline

/// Records one channel under one lease: decides what is fetched, where in time it belongs, what is published
/// and when.
///
/// A value without I/O, clock and randomness: events go in with the time at which they happened, actions come
/// out. The same events with the same seed give the same actions.
package struct RecordingState: Sendable {
    /// How far the recording of the channel has come.
    private enum Phase: Sendable {
        /// The journal is looked through; nothing is asked of a source.
        case resuming
        case recording
        /// Downloads under way are finished, until a time.
        case draining(RecordingEnding, until: SteadyInstant)
        /// The last facts go into the catalogue, until a time.
        case finishing(RecordingEnding, until: SteadyInstant)
        case ended
    }

    /// How far the next batch is on its way into the catalogue.
    private enum Commit: Sendable {
        case pausing(until: SteadyInstant)
        /// Lines of the journal were asked for, to be published first.
        case reading
        case underWay
        /// The catalogue is unavailable; the same batch is committed again.
        case retrying(at: SteadyInstant)
    }

    let channel: Channel
    let lease: Lease
    /// Whether facts go on from the journal into the catalogue; not while the lease is unknown.
    private let publishes: Bool
    var sources: SourceFollower
    var progress: ChannelProgress
    var fetches = FetchQueues()
    var filler: HoleFiller
    var missingSegments = MissingSegments()
    /// Holes that were noticed since the last event, and the URLs of the sources that have nothing for them.
    var noticedHoles: [(rendition: RenditionID, window: TimeWindow, source: String)] = []
    /// Playlists of other sources that wait for what a segment of theirs shows.
    var doubtfulRepairPlaylists: [RenditionID: DoubtfulRepairPlaylist] = [:]
    var keys = KeyRetries()
    /// The files of the newest facts, which the catalogue may not have yet.
    var newestKeys: [ArchiveKey] = []
    var journal = JournalQueue()
    var publication: Publication
    var condition: ChannelCondition
    var generator: SeededRandomNumberGenerator
    /// Gives the dates of everything that is recorded.
    var clock: RecordingClock
    private var phase = Phase.resuming
    private var commit: Commit
    private var commitDelay = Limits.firstCommitRetry
    /// What the catalogue answered last, in words, while it takes nothing.
    private var catalogueError: String?
    /// Segments that the previous recorder did not fetch; empty once the journal was read.
    private(set) var inherited: [SegmentRequest]
    /// Segments found in the journal that wait for their keys, until all of it was read.
    private var waitingForKeys: [SegmentIdentity: KeyPendingSegment] = [:]
    /// When this process took the channel.
    let since: Instant
    var liveEdge: Instant?
    /// How often another source was taken into use.
    var sourceChangeCount = 0
    var loggedZone: Int64 = 0
    /// Where the source's playlists deviate from the standard, in words; those of the present use.
    var deviations: [String] = []
    /// The status that was published last, once one was.
    var lastStatus: ChannelStatus
    var hasPublishedStatus = false
    private var wait: SteadyInstant?
    private var actions: [RecordingAction] = []

    /// Begins under a lease that was just taken.
    ///
    /// `heads`, `newestRun` and `lastRun` say where the catalogue stands: each rendition, the source run with
    /// the highest id, and the one that the heads end with; nil if that is the same. `unfinished` is what the
    /// recorder before did not fetch. The seed is of pauses and ids that are to differ from those of other
    /// channels and nodes.
    package init(
        channel: Channel, lease: Lease, heads: [RenditionHead], newestRun: SourceRun?,
        lastRun: SourceRun? = nil, publishes: Bool = true, unfinished: [SegmentRequest] = [],
        at now: Moment, seed: UInt64,
    ) {
        inherited = unfinished
        self.publishes = publishes
        self.channel = channel
        self.lease = lease
        clock = lease.clock(at: now)
        sources = SourceFollower(channel.settings.sources, now: now.steady)
        filler = HoleFiller(channel.settings.sources)
        progress = ChannelProgress(choice: channel.settings.clock)
        progress.resume(heads, newestRun: newestRun, lastRun: lastRun)
        publication = Publication(channel: channel.row, lease: lease)
        publication.resume(heads, now: now.steady)
        condition = ChannelCondition(startedAt: now, hasPast: lease.publishedHead.end.microseconds > 0)
        generator = SeededRandomNumberGenerator(seed: seed)
        commit = .pausing(until: now.steady)
        since = clock.date(at: now.steady)
        lastStatus = ChannelStatus(state: .waiting, since: since)
        liveEdge = Self.liveEdge(lease.publishedHead.watermark)
    }

    /// Handles an event and returns the actions to perform now, in order.
    package mutating func handle(_ event: consuming RecordingEvent, at now: Moment) -> [RecordingAction] {
        if case .ended = phase { return [] }
        // A start always reads the journal; only a later backlog is worth a log message.
        let couldFallBehind = isRecording && !publication.hasBacklog
        observeClock(now)
        receive(event, at: now)
        act(at: now)
        if couldFallBehind, publication.hasBacklog {
            log(.notice, "Facts wait in the journal until the catalogue has accepted earlier ones")
        }
        publishStatus(now: now.steady)
        waitForNext(now: now.steady)
        defer { actions = [] }
        return actions
    }

    private mutating func receive(_ event: consuming RecordingEvent, at now: Moment) {
        switch consume event {
        case .started:
            logClock(at: now)
            perform(.readJournal(after: nil, limit: Limits.factsReadBack))
        case .clockAdvanced: wait = nil
        case .stopRequested: stop(.stopped, now: now.steady)
        case .playlistArrived(let fetched, let request): playlistArrived(fetched, request, now: now.steady)
        case .playlistUnchanged(let arrival, let request): playlistUnchanged(request, at: arrival.steady)
        case .playlistFailed(let error, let request): playlistFailed(error, request, now: now)
        case .segmentStored(let stored, let request): segmentStored(stored, request, now: now.steady)
        case .segmentKeyMissed(let segment, let request, let isDenied):
            if isDenied { denied("the source refuses the key", request.use, now: now.steady) }
            segmentKeyMissed(segment, request, now: now.steady)
        case .segmentFailed(let failure, let request): segmentFailed(failure, request, now: now.steady)
        case .segmentProbed(let probed, let request): segmentProbed(probed, request, now: now.steady)
        case .probeFailed(let request): probeFailed(request, now: now.steady)
        case .pendingSegmentOpened(let result, let segment): opened(result, segment, now: now.steady)
        case .journalWritten(let result): journalWritten(result, now: now.steady)
        case .journalRead(let result): journalRead(result, now: now.steady)
        case .catalogueAnswered(let result): catalogueAnswered(result, now: now.steady)
        }
    }

    /// Whether sources are followed; not while it starts or stops.
    var isRecording: Bool { if case .recording = phase { true } else { false } }

    /// Whether downloads that fail now were stopped, and are fetched after the restart.
    var isFinishing: Bool { if case .finishing = phase { true } else { false } }

    mutating func perform(_ action: RecordingAction) {
        actions.append(action)
    }

    mutating func log(_ level: Logger.Level, _ text: String, _ metadata: [String: String] = [:]) {
        actions.append(.log(RecordingMessage(level: level, text: text, metadata: metadata)))
    }
}

/// Work that is started after every event.
extension RecordingState {
    private mutating func act(at now: Moment) {
        switch phase {
        case .resuming, .ended:
            return
        case .recording:
            followSources(at: now)
            lookForRepairs(now: now.steady)
            retryKeys(now: now.steady)
        case .draining(let ending, let until):
            drain(ending, until: until, now: now.steady)
        case .finishing(let ending, let until):
            if now.steady >= until { return end(ending) }
        }
        startFetches(now: now.steady)
        advanceCommit(now: now.steady)
        // The next batch may have added some.
        if let entries = journal.next(now: now.steady) { perform(.journal(entries)) }
    }

    private mutating func startFetches(now: SteadyInstant) {
        for request in fetches.takeDue(now: now) { perform(.fetchSegment(request)) }
    }

    /// Goes on with stopping once nothing is under way, or it has taken too long.
    private mutating func drain(
        _ ending: RecordingEnding, until: SteadyInstant, now: SteadyInstant,
    ) {
        let isIdle = fetches.isIdle && filler.running == nil && journal.isEmpty
        guard isIdle || now >= until else { return }
        if !isIdle { perform(.cancelFetches) }
        phase = .finishing(ending, until: now + Limits.lastCommit)
    }

    mutating func stop(_ ending: RecordingEnding, now: SteadyInstant) {
        switch phase {
        case .resuming: end(ending)
        case .recording:
            sources.stop()
            fetches.close()
            filler.stop()
            phase = .draining(ending, until: now + Limits.drain)
        case .draining, .finishing, .ended: break
        }
    }

    private mutating func end(_ ending: RecordingEnding) {
        phase = .ended
        perform(.end(ending))
    }

    private mutating func waitForNext(now: SteadyInstant) {
        guard let next = nextTime else { return }
        // An event may come a little before its time; the same wait is not begun twice.
        let time = max(next, now + .milliseconds(1))
        guard wait.map({ time < $0 || $0 <= now }) ?? true else { return }
        wait = time
        perform(.wait(until: time))
    }

    private var nextTime: SteadyInstant? {
        let next = fetches.next.orEarlier(journal.nextTry).orEarlier(nextCommit)
        switch phase {
        case .resuming, .ended: return nil
        case .recording:
            return next.orEarlier(sources.next).orEarlier(filler.next).orEarlier(keys.next).orEarlier(stall)
        case .draining(_, let until), .finishing(_, let until): return next.orEarlier(until)
        }
    }

    private var nextCommit: SteadyInstant? {
        guard publishes else { return nil }
        switch commit {
        case .pausing(let time): return publication.nextWork(from: time)
        case .retrying(let time): return time
        case .reading, .underWay: return nil
        }
    }
}

/// From the publisher into the catalogue.
extension RecordingState {
    private mutating func advanceCommit(now: SteadyInstant) {
        guard publishes else {
            if journal.isEmpty, case .finishing(let ending, _) = phase { end(ending) }
            return
        }
        switch commit {
        case .reading, .underWay: return
        case .retrying(let time):
            guard time <= now, let pending = publication.pending else { return }
            commit = .underWay
            perform(.commit(pending.batch))
        case .pausing(let until):
            guard until <= now && publication.hasWork(at: now) || isFinishing else { return }
            if let cursor = publication.linesWanted {
                commit = .reading
                perform(.readJournal(after: cursor, limit: Limits.factsReadBack))
            } else {
                commitNext(readsMore: false, now: now)
            }
        }
    }

    private mutating func commitNext(readsMore: Bool, now: SteadyInstant) {
        guard let pending = nextBatch(now: now) else {
            if isFinishing, !readsMore, journal.isEmpty, case .finishing(let ending, _) = phase {
                return end(ending)
            }
            commit = .pausing(until: readsMore ? now : now + Limits.commitInterval)
            return
        }
        journal.add(pending.overdue.map { .loss($0) })
        for loss in pending.overdue where loss.reason == .segmentMissing {
            log(
                .warning, "A segment was not stored in time; later segments are published without it",
                ["rendition": loss.rendition?.description ?? ""])
        }
        searchForRefused(pending.batch.listed)
        commit = .underWay
        perform(.commit(pending.batch))
    }

    private mutating func catalogueAnswered(
        _ result: Result<Bool, CatalogueError>, now: SteadyInstant,
    ) {
        switch result {
        case .failure(let error):
            let refused = error.refusedFacts.map { publication.refused($0) } ?? []
            if refused.isEmpty { return awaitCatalogue(error, now: now) }
            perform(.setAside(refused, reason: "\(error)"))
            commit = .retrying(at: now)
        case .success(let isHeld):
            entered(isHeld: isHeld, now: now)
        }
    }

    /// Keeps recording whatever the catalogue answers: facts wait, and the same batch is committed again.
    private mutating func awaitCatalogue(_ error: CatalogueError, now: SteadyInstant) {
        if catalogueError != "\(error)" {
            log(.warning, "The catalogue does not take facts", ["error": "\(error)"])
        }
        catalogueError = "\(error)"
        commit = .retrying(at: now + commitDelay)
        commitDelay = min(commitDelay * 2, Limits.longestCommitRetry)
    }

    private mutating func entered(isHeld: Bool, now: SteadyInstant) {
        guard let pending = publication.pending else { return }
        perform(.trimJournal(publication.entered()))
        commitDelay = Limits.firstCommitRetry
        if catalogueError != nil { log(.notice, "The catalogue takes facts again") }
        catalogueError = nil
        liveEdge = Self.liveEdge(pending.batch.publishedHead.watermark)
        let hasMore = pending.isFull || publication.linesWanted != nil
        commit = .pausing(until: hasMore ? now : now + Limits.commitInterval)
        if !isHeld { stop(.leaseLost, now: now) }
    }
}

/// Between the journal and the publisher.
extension RecordingState {
    private mutating func journalRead(
        _ result: Result<[JournalLineRead], JournalError>, now: SteadyInstant,
    ) {
        switch (result, phase) {
        case (.failure(let error), _):
            commit = .pausing(until: now + Limits.commitInterval)
            isFinishing ? end(.failed("\(error)")) : stop(.failed("\(error)"), now: now)
        case (.success(let lines), .resuming):
            resume(lines, now: now)
        case (.success(let lines), _):
            commitNext(readsMore: publication.read(lines, now: now), now: now)
        }
    }

    /// Looks through the journal for what it says of the source's numbering and of the renditions.
    ///
    /// It is needed before the source is asked; the facts themselves go in part by part.
    private mutating func resume(_ lines: [JournalLineRead], now: SteadyInstant) {
        for line in lines {
            progress.resume(line.entry)
            publication.resume(line, &waitingForKeys)
        }
        if let last = lines.last, lines.count == Limits.factsReadBack {
            return perform(.readJournal(after: last.position, limit: Limits.factsReadBack))
        }
        for id in progress.renditions.keys { publication.open(id, now: now) }
        publication.resumed(waiting: waitingForKeys.values)
        resumeKeys(Array(waitingForKeys.values), now: now)
        resumeFetches(inherited, now: now)
        (waitingForKeys, inherited) = ([:], [])
        phase = .recording
    }

    private mutating func journalWritten(
        _ result: Result<[JournalPosition], JournalError>, now: SteadyInstant,
    ) {
        switch result {
        case .success(let positions):
            let writes = journal.written()
            for place in writes.indices.prefix(positions.count) {
                written(writes[place], at: positions[place], now: now)
            }
        case .failure(let error):
            let isFirst = condition.segmentsRefused("the journal: \(error)")
            if isFirst { log(.warning, "The journal does not take facts", ["error": "\(error)"]) }
            for write in journal.failed(error, now: now) { notWritten(write, error, now: now) }
        }
    }
}
