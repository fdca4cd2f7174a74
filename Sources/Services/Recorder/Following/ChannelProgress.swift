import Catalogue
import HLS
import Journal
import Monitoring
import Timeline

/// How far a channel's renditions have come while it is recorded: the run of numbers that they follow, and
/// their timelines.
///
/// Decides only; it has no clock.
struct ChannelProgress: Sendable {
    var renditions = ByRendition<RenditionProgress>()
    private let choice: ClockChoice
    /// The run that began in this process; nil after a start and after a change of source.
    private(set) var sourceRun: SourceRun?
    /// The run with the highest id, of this process or an earlier one; ids of new runs are above it.
    private(set) var newestRun: SourceRun?
    /// Runs of earlier processes, by id: those in which the held segments may end.
    private(set) var earlierRuns: [Int64: SourceRun] = [:]
    private var sharedStarts = SharedStarts()
    /// The rendition whose starts the others take over: the first of those that are recorded now.
    private(set) var leading: RenditionID?
    /// The renditions that were recorded last, in this process or an earlier one.
    private(set) var recorded: Set<RenditionID> = []
    /// What the source lists besides segments, the same in all renditions.
    var markers = KnownMarkers()
    var lastFormats: [RenditionID: SegmentFormat] = [:]
    /// The source in use.
    private(set) var source: SourceSettings?
    /// Its URL without user info and query.
    private(set) var sourceURL: String?
    /// Where the times of the leading rendition's newest segments come from.
    private(set) var clock = TimePlacing.Clock.arrival
    /// Source date minus arrival, microseconds; nil without dates.
    private(set) var clockOffset: Int64?
    /// Segments that left their playlists before they could be fetched.
    var expired: [UnfetchedSegment] = []

    init(choice: ClockChoice) {
        self.choice = choice
    }

    /// By how much the dates of the source are corrected, microseconds; 0 when they are taken as they are.
    var zone: Int64 { leaderIndex.map { renditions.values[$0].placing.zone } ?? 0 }

    /// How far the clock of the leading rendition is from its timeline, microseconds.
    var drift: Int64 { leaderIndex.map { renditions.values[$0].placing.drift } ?? 0 }

    /// Adapts all renditions after the recording clock was set by `step` microseconds.
    mutating func clockMoved(by step: Int64) {
        for id in renditions.keys { renditions[id]?.clockMoved(by: step) }
    }

    /// Why the source's dates are not used, in words; nil when they are.
    var dateRejection: String? {
        renditions.values.indices.lazy.compactMap { renditions.values[$0].placing.dateRejection }.first
    }

    /// A source is in use from now on.
    ///
    /// Sequence numbers of a different source are never treated as a continuation, even when they happen to
    /// match.
    ///
    /// - Returns: whether it is another one than before
    mutating func use(_ source: SourceSettings) -> Bool {
        let isOther =
            self.source.map { $0.url != source.url }
            ?? lastRun.map { $0.source != SourceClient.identity(source.url) } ?? false
        let previous = self.source?.url
        (self.source, sourceURL) = (source, SourceClient.identity(source.url))
        if recorded.isEmpty {
            let last = renditions.keys.filter { wasRecordedLast($0) }
            recorded = Set(last.isEmpty ? Array(renditions.keys) : last)
        }
        guard isOther else {
            // It begins with the first of its streams again.
            for id in renditions.keys where renditions[id]?.isOnBackupStream ?? false { changeStream(of: id) }
            return false
        }
        sourceRun = nil
        for id in renditions.keys { expired += renditions[id]?.leaveRun(of: previous, for: source.url) ?? [] }
        return true
    }

    /// The renditions that are recorded from now on.
    ///
    /// - Returns: what must be in the journal before their first segment, so that a process that has nothing
    ///   but the journal gives them the same ids again
    mutating func open(_ descriptions: [RenditionDescription]) -> [JournalEntry] {
        leading = descriptions.map(\.id).min()
        recorded = Set(descriptions.map(\.id))
        return describe(descriptions)
    }

    /// The attributes of renditions that are recorded may have changed.
    ///
    /// - Returns: what the journal is to have of it
    mutating func describe(_ descriptions: [RenditionDescription]) -> [JournalEntry] {
        descriptions.compactMap { description in
            guard renditions[description.id]?.description != description else { return nil }
            know(description)
            return .rendition(description)
        }
    }

    private mutating func know(_ description: RenditionDescription) {
        let id = description.id
        if renditions[id] == nil { renditions[id] = RenditionProgress(description, choice: choice) }
        renditions[id]?.description = description
    }
}

/// Going on where an earlier process stopped.
extension ChannelProgress {
    mutating func resume(_ heads: [RenditionHead], newestRun: SourceRun?, lastRun: SourceRun? = nil) {
        self.newestRun = newestRun
        for run in [newestRun, lastRun].compactMap({ $0 }) { earlierRuns[run.id] = run }
        for head in heads {
            renditions[head.description.id] = RenditionProgress(resuming: head, choice: choice)
        }
    }

    /// Takes an entry of the journal that the catalogue may not have.
    ///
    /// Renditions, and segments to compare the numbering with, may be known only from the journal.
    mutating func resume(_ entry: JournalEntry) {
        switch entry {
        case .rendition(let description): know(description)
        case .segment(let fact):
            // What fills a hole says nothing of the numbers of the source in use.
            if fact.flags.contains(.late) {
                renditions[fact.identity.rendition]?.fill(fact.placed.window)
            } else {
                resume(fact.placed, digest: fact.flags.isDisjoint(with: .parts) ? fact.digest : [])
                renditions[fact.identity.rendition]?.holdIncomplete(fact)
            }
            renditions[fact.identity.rendition]?.hold(fact)
        case .keyPending(let segment): resume(segment.placed, digest: [])
        case .sourceRun(let run):
            earlierRuns[run.id] = run
            if run.id > newestRun?.id ?? 0 { newestRun = run }
        case .marker(let marker): markers.resume(marker)
        case .loss: break
        }
    }

    /// A segment is in the journal, or is still being fetched since an earlier recorder: then its digest is
    /// empty.
    mutating func resume(_ segment: PlacedSegment, digest: [UInt8]) {
        let id = segment.identity.rendition
        if renditions[id] == nil { know(RenditionDescription(id: id, position: id.index)) }
        renditions[id]?.unfetched.removeAll { $0.placed.identity == segment.identity }
        renditions[id]?.resume(with: segment, digest: digest, choice: choice)
    }
}

/// What playlists say.
extension ChannelProgress {
    /// Judges a playlist of a rendition: which entries are new, and when they begin.
    ///
    /// `gap` says why time may be missing; nil if the source has delivered. `generator` makes run ids that
    /// differ from those of a disconnected node that begins a run at the same time. At most `room` new
    /// segments are fetched at once.
    mutating func playlistArrived(
        _ playlist: MediaPlaylist, of id: RenditionID, at arrival: Arrival, gap: GapReason?,
        room: Int = Limits.waitingSegments, _ generator: inout SeededRandomNumberGenerator,
    ) -> Listing {
        guard var rendition = renditions.take(id) else { return Listing() }
        defer { renditions.insert(rendition, id) }
        guard !playlist.segments.isEmpty else {
            if playlist.isEnded { rendition.follower.end() }
            return Listing()
        }
        let playlist = rendition.corrected(playlist)
        var listing = Listing()
        if changesStream(&rendition, to: playlist, gap, at: arrival, &listing, &generator) {
            chooseFetches(&listing, of: &rendition, in: playlist, at: arrival, room: room)
            return listing
        }
        if takeJudged(playlist, &rendition, gap, at: arrival, &listing, &generator) {
            chooseFetches(&listing, of: &rendition, in: playlist, at: arrival, room: room)
            listing.otherEntries += newMarkers(in: playlist, of: rendition, at: arrival.date)
        }
        return listing
    }

    /// Takes what a playlist lists, as it compares with the earlier playlists.
    ///
    /// - Returns: false if a segment must be read first, or if nothing can be taken yet
    private mutating func takeJudged(
        _ playlist: MediaPlaylist, _ rendition: inout RenditionProgress, _ gap: GapReason?,
        at arrival: Arrival, _ listing: inout Listing, _ generator: inout SeededRandomNumberGenerator,
    ) -> Bool {
        switch rendition.follower.judge(
            playlist, rendition.alignment.known, now: arrival.steady,
            followsOthers: isInPreviousRun(rendition))
        {
        case .nothingNew:
            rendition.listMissed(of: playlist, at: arrival, &listing)
            rendition.follower.take(playlist, rendition.alignment.known, now: arrival.steady)
        case .stale:
            listing.isStale = true
        case .undecided(let index):
            listing.probe = rendition.probe(playlist, index, at: arrival)
        case .new(let from, let missing):
            return takeNew(
                playlist, from: from, missing: missing, &rendition, gap, at: arrival, &listing, &generator)
        case .restart(let reason):
            listing.probe = rendition.probeAfterRenumbering(playlist, at: arrival)
            if listing.probe == nil {
                restart(&rendition, playlist, reason, gap, at: arrival, &listing, &generator)
            }
        }
        return !listing.isStale && listing.probe == nil
    }

    /// Takes a playlist of another stream of the source, if its numbers do not continue those of the former.
    ///
    /// - Returns: whether it was taken
    private mutating func changesStream(
        _ rendition: inout RenditionProgress, to playlist: MediaPlaylist, _ gap: GapReason?,
        at arrival: Arrival, _ listing: inout Listing, _ generator: inout SeededRandomNumberGenerator,
    ) -> Bool {
        guard rendition.hasOtherStream, rendition.run != nil else { return false }
        rendition.hasOtherStream = false
        if rendition.follower.isContinued(by: playlist) { return false }
        join(
            &rendition, playlist, restart: "another stream of the source", at: arrival, &listing, &generator)
        take(
            playlist, from: max(0, playlist.segments.count - Limits.backlogSegments), &rendition,
            opensHole: true, cause: .source, gap: rendition.hole(skips: 0, present: gap), at: arrival,
            &listing)
        return true
    }

    /// Takes the new entries of a playlist; `missing` numbers are not listed before them.
    ///
    /// - Returns: false if a segment must be read first, or if nothing can be taken yet
    private mutating func takeNew(
        _ playlist: MediaPlaylist, from: Int, missing: Int64, _ rendition: inout RenditionProgress,
        _ gap: GapReason?, at arrival: Arrival, _ listing: inout Listing,
        _ generator: inout SeededRandomNumberGenerator,
    ) -> Bool {
        let isFirst = rendition.run == nil
        if let index = rendition.probeIndexBeforeNew(playlist, from: from, missing: missing, at: arrival) {
            listing.probe = rendition.segment(playlist, index, at: arrival)
            if listing.probe != nil { return false }
        }
        if isFirst, rendition.awaitsNewEntry(of: playlist, at: arrival) {
            listing.isStale = true
            return false
        }
        var (playlist, arrival) = (playlist, arrival)
        let step = rendition.findStep(
            in: playlist, from: from, missing: missing, at: arrival,
            shared: sharedStarts.starts(in: rendition.run))
        if case .probes(let index) = step {
            listing.probe = rendition.segment(playlist, index, at: arrival)
            return false
        }
        if case .later(let index) = step {
            listing.isIncomplete = true
            arrival.laterEntriesDuration = rendition.length(of: playlist, from: index)
            playlist.segments.removeSubrange(index...)
        }
        guard from < playlist.segments.count else { return false }
        if isFirst { join(&rendition, playlist, restart: nil, at: arrival, &listing, &generator) }
        take(
            playlist, from: from, &rendition, opensHole: isFirst || missing > 0,
            cause: isFirst ? .source : missing > 0 ? .hole : nil,
            gap: rendition.hole(skips: missing, present: gap), at: arrival, &listing)
        return true
    }

    /// Judges a playlist again after a segment of it was read.
    ///
    /// Its bytes show whether the numbering continues, or whether media are missing before it. If it cannot
    /// be read, as a key is missing, the numbering is assumed to continue.
    mutating func probed(
        _ probed: ProbedSegment?, _ probe: ListedSegment, in playlist: MediaPlaylist, at arrival: Arrival,
        gap: GapReason?, room: Int = Limits.waitingSegments, _ generator: inout SeededRandomNumberGenerator,
    ) -> Listing {
        let id = probe.identity.rendition
        let number = probe.identity.number
        if renditions[id]?.judgeStep(before: number, timestamp: probed?.firstTimestamp) ?? false {
            return playlistArrived(playlist, of: id, at: arrival, gap: gap, room: room, &generator)
        }
        guard var rendition = renditions[id] else { return Listing() }
        let corrected = rendition.alignment.corrected(PlaylistFollower.withoutRepeats(playlist))
        if isJoining(probe.identity) {
            renditions[id]?.joined(probed, in: corrected, at: arrival)
            return playlistArrived(playlist, of: id, at: arrival, gap: gap, room: room, &generator)
        }
        guard let digest = probed?.digest, let known = rendition.digests[number], !known.isEmpty else {
            renditions[id]?.follower.assume(
                upTo: PlaylistFollower.number(corrected, corrected.segments.count - 1))
            return playlistArrived(playlist, of: id, at: arrival, gap: gap, room: room, &generator)
        }
        if known == digest {
            renditions[id]?.follower.confirm(by: corrected, now: arrival.steady)
            return playlistArrived(playlist, of: id, at: arrival, gap: gap, room: room, &generator)
        }
        var listing = Listing()
        if !digest.isEmpty { listing.probe = rendition.probeAfterRenumbering(corrected, at: arrival) }
        if listing.probe == nil {
            restart(
                &rendition, corrected, "a known number names another segment", gap, at: arrival, &listing,
                &generator)
            chooseFetches(&listing, of: &rendition, in: corrected, at: arrival, room: room)
        }
        renditions[id] = rendition
        return listing
    }

    /// Starts another source run, in which every entry of the playlist is new.
    private mutating func restart(
        _ rendition: inout RenditionProgress, _ playlist: MediaPlaylist, _ reason: String, _ gap: GapReason?,
        at arrival: Arrival, _ listing: inout Listing, _ generator: inout SeededRandomNumberGenerator,
    ) {
        let highest = rendition.follower.highest
        let missing = PlaylistFollower.number(playlist, 0).map { $0 - (highest ?? $0) - 1 } ?? 0
        join(&rendition, playlist, restart: reason, at: arrival, &listing, &generator)
        take(
            playlist, from: 0, &rendition, opensHole: true, cause: .restart,
            gap: rendition.hole(skips: missing, present: gap), at: arrival, &listing)
    }

    /// Assigns the channel's current run to a rendition, or a new run if it cannot join that one.
    private mutating func join(
        _ rendition: inout RenditionProgress, _ playlist: MediaPlaylist, restart: String?,
        at arrival: Arrival, _ listing: inout Listing, _ generator: inout SeededRandomNumberGenerator,
    ) {
        let previous = rendition.run
        expired += rendition.startRun()
        let present = sourceRun?.id ?? (previous == nil && restart == nil ? continuedRun : nil)
        if let present, previous != present, previous != nil || restart == nil {
            rendition.run = present
            return
        }
        let isDated = playlist.segments.contains { $0.programDateTimeMicroseconds != nil }
        let run = SourceRun(
            id: nextRun(after: previous, at: arrival.date, &generator),
            source: sourceURL ?? "", began: arrival.date,
            clock: (isDated ? rendition.placing.clock : .arrival).rawValue)
        (sourceRun, newestRun) = (run, run)
        rendition.run = run.id
        listing.runCause = restart ?? "first playlist"
        listing.otherEntries.append(.sourceRun(run))
    }

    /// An id above all earlier ones, whatever the host's clock shows: the newest run is the one with the
    /// highest id.
    private func nextRun(
        after previous: Int64?, at date: Instant, _ generator: inout SeededRandomNumberGenerator,
    ) -> Int64 {
        let known = (renditions.values.map(\.run) + [previous, newestRun?.id]).compactMap { $0 }
        let next = known.max().map { ($0 >> 20) + 1 } ?? 0
        return max(date.milliseconds, next) << 20 | Int64.random(in: 0..<(1 << 20), using: &generator)
    }

    private mutating func take(
        _ playlist: MediaPlaylist, from: Int, _ rendition: inout RenditionProgress, opensHole: Bool,
        cause: DiscontinuityCause?, gap: GapReason, at arrival: Arrival, _ listing: inout Listing,
    ) {
        let before = rendition.placing.end
        adoptLeadersOffset(&rendition, playlist)
        listing.parts = rendition.takeIncomplete(of: playlist, before: from, arrival: arrival)
        listing.segments = rendition.list(
            playlist, from: from, opensHole: opensHole, cause: before == nil ? nil : cause, hole: gap,
            arrival: arrival, shared: sharedStarts.starts(in: rendition.run))
        rendition.follower.take(
            playlist, rendition.alignment.entries(of: playlist), now: arrival.steady)
        rendition.status.seen += listing.segments.count
        if !listing.segments.isEmpty { rendition.outage = nil }
        if rendition.id == leading { sharedStarts.add(listing.segments) }
        listing.otherEntries += Self.holes(listing.segments, after: before)
        giveUpUnfetched(&rendition, listed: listing.segments)
        guard rendition.id == leading ?? rendition.id else { return }
        clock = rendition.placing.clock
        clockOffset = clock == .source ? rendition.placing.sourceOffset : nil
    }

    /// Gives a rendition without dates the same offset from arrival as the dated leading rendition.
    private func adoptLeadersOffset(_ rendition: inout RenditionProgress, _ playlist: MediaPlaylist) {
        guard rendition.id != leading,
            playlist.segments.allSatisfy({ $0.programDateTimeMicroseconds == nil }),
            let leader = leading.flatMap({ renditions[$0] }),
            leader.run == rendition.run, leader.placing.clock == .source,
            let offset = leader.placing.sourceOffset ?? leader.placing.recordedOffset,
            !rendition.dateSteps.frozen.areFrozen
        else { return }
        rendition.placing.placeByArrival(offset: offset)
    }
}
