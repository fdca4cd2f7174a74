import Catalogue
import Concurrency
import HLS
import HTTP
import Journal
import Logging
import SegmentStore
import Timeline

/// Filling holes from other sources.
extension RecordingState {
    mutating func lookForRepairs(now: SteadyInstant) {
        for (rendition, window, source) in noticedHoles {
            filler.add(Hole(rendition: rendition, window: window, source: source, since: now), now: now)
        }
        noticedHoles = []
        if let next = filler.next, next <= now {
            let request = filler.request(
                use: sources.nextUse(), current: sources.session?.use, now: now)
            if let request { perform(.fetchPlaylist(request)) }
        }
        if let request = filler.start(now: now) { perform(.fetchSegment(request)) }
    }

    /// Notes the losses among new entries as holes that another source may fill.
    mutating func noteHoles(_ otherEntries: [JournalEntry], of rendition: RenditionID) {
        guard sources.hasAlternative, let source = progress.source else { return }
        for entry in otherEntries {
            if case .loss(let loss) = entry { noticedHoles.append((rendition, loss.window, source.url)) }
        }
    }

    /// A segment is lost, or has not come in its turn: another source may have it.
    mutating func searchOtherSources(
        _ segment: PlacedSegment, _ reason: GapReason, notIn source: SourceSettings,
    ) {
        guard Self.isWorthSearching(reason), sources.hasAlternative, missingSegments.beginSearch(segment)
        else { return }
        searchForExpired(segment, notIn: source)
    }

    /// A segment cannot be fetched from its source any more: another source may have it.
    mutating func searchForExpired(_ segment: PlacedSegment, notIn source: SourceSettings) {
        guard sources.hasAlternative else { return }
        noticedHoles.append((segment.identity.rendition, segment.window, source.url))
    }

    /// Whether another source may help.
    ///
    /// A key almost always comes, and where the disk is full none helps.
    static func isWorthSearching(_ reason: GapReason) -> Bool {
        switch reason {
        case .segmentMissing, .segmentCorrupt, .segmentExpired, .sourceGap: true
        default: false
        }
    }

    /// Segments that a source refused are searched for in other sources while they are still retried.
    mutating func searchForRefused(_ segments: [PlacedSegment]) {
        for segment in segments {
            guard let request = fetches.request(of: segment.identity), request.isRefused else { continue }
            searchOtherSources(segment, .segmentMissing, notIn: request.use.source)
        }
    }
}

/// What other sources list.
extension RecordingState {
    mutating func repairPlaylistArrived(
        _ fetched: FetchedPlaylist, _ request: PlaylistRequest, _ rendition: RenditionID?,
        now: SteadyInstant,
    ) {
        guard filler.use == request.use else { return }
        switch fetched.playlist {
        case .multivariant(let playlist) where rendition == nil:
            askForRepairs(playlist, fetched, request, now: now)
        case .media(let playlist) where playlist.skip == nil && !playlist.segments.isEmpty:
            repair(rendition ?? RenditionID(kind: .video, index: 0), playlist, fetched, now: now)
        default: break
        }
        filler.receiveAnswer(now: now)
    }

    mutating func repairPlaylistFailed(_ request: PlaylistRequest, now: SteadyInstant) {
        if filler.use == request.use { filler.receiveAnswer(now: now) }
    }

    /// Asks for the playlists of the renditions that have holes.
    private mutating func askForRepairs(
        _ playlist: MultivariantPlaylist, _ fetched: FetchedPlaylist, _ request: PlaylistRequest,
        now: SteadyInstant,
    ) {
        let wanted = Set(filler.fillable().map(\.rendition))
        for item in plan(playlist).items where wanted.contains(item.description.id) {
            let url = try? fetched.base.resolving(
                item.uri, inheritingQuery: request.use.source.inheritQuery)
            guard let url else { continue }
            filler.expectAnswers(1)
            perform(
                .fetchPlaylist(
                    PlaylistRequest(
                        use: request.use, purpose: .repair(item.description.id), url: url,
                        inherited: InheritedTags(of: playlist), startedAt: now)))
        }
    }

    /// Fetches what a playlist shows of the holes; where dates do not tell it, one of its segments is read
    /// first.
    private mutating func repair(
        _ id: RenditionID, _ playlist: MediaPlaylist, _ fetched: FetchedPlaylist,
        now: SteadyInstant,
    ) {
        guard let use = filler.use, let rendition = progress.renditions[id],
            !filler.fillable(of: id).isEmpty
        else { return }
        let playlist = PlaylistFollower.withoutRepeats(playlist)
        filler.noteList(playlist, of: use.source)
        let arrival = arrival(of: fetched)
        let windows = rendition.datedWindows(in: playlist, at: arrival, choice: channel.settings.clock)
        let index = playlist.segments.count / 2
        guard windows == nil || rendition.differsFromDates,
            let number = PlaylistFollower.number(playlist, index), !playlist.segments[index].isGap
        else { return fill(id, playlist, windows, fetched, use, now: now) }
        let segment = ListedSegment(
            placed: PlacedSegment(
                identity: SegmentIdentity(rendition: id, run: 0, number: number), start: arrival.date,
                duration: 1),
            entry: playlist.segments[index], arrival: arrival.date, flags: [],
            listedNumber: playlist.number(at: index), discontinuityCount: 0, availableUntil: now)
        doubtfulRepairPlaylists[id] = DoubtfulRepairPlaylist(
            playlist: playlist, index: index, datedWindows: windows, fetched: fetched)
        filler.expectAnswers(1)
        perform(
            .probeSegment(
                ProbeRequest(
                    segment: segment, base: fetched.base, use: use, until: now + Limits.playlistTimeout,
                    isForRepair: true)))
    }

    /// A segment was read that shows where a playlist stands; nil shows nothing.
    mutating func repairProbed(
        _ probed: ProbedSegment?, _ request: ProbeRequest, now: SteadyInstant,
    ) {
        let id = request.segment.identity.rendition
        let doubt = doubtfulRepairPlaylists.removeValue(forKey: id)
        guard filler.use == request.use else { return }
        let source = request.use.source.url
        if let doubt, let rendition = progress.renditions[id] {
            let start = probed.flatMap {
                rendition.begin(
                    of: $0, in: doubt.playlist, of: source, doubt.index, at: arrival(of: doubt.fetched))
            }
            let windows = start.map {
                rendition.windows(in: doubt.playlist, of: source, around: doubt.index, at: $0)
            }
            fill(
                id, doubt.playlist, windows ?? doubt.datedWindows, areShown: windows != nil, doubt.fetched,
                request.use, now: now)
        }
        filler.receiveAnswer(now: now)
    }

    private mutating func fill(
        _ id: RenditionID, _ playlist: MediaPlaylist, _ windows: [TimeWindow]?, areShown: Bool = false,
        _ fetched: FetchedPlaylist, _ use: SourceUse, now: SteadyInstant,
    ) {
        guard let windows else { return }
        let until = now + .microseconds(min(PlaylistFollower.length(of: playlist), Limits.longestRetry))
        // Initialization sections are read for each look and discontinuity.
        var domain = -filler.lookCount << 16
        for (index, window) in windows.enumerated() {
            domain += playlist.segments[index].discontinuityCount
            guard !playlist.segments[index].isGap else { continue }
            guard filler.hasRoom, let number = PlaylistFollower.number(playlist, index) else { return }
            let found = filler.fillable(of: id).lazy.compactMap { hole in
                hole.part(of: window).map { (hole: hole, part: $0) }
            }.first
            guard let found else { continue }
            let part = found.hole.segment.flatMap { filler.parts[$0] }
            guard found.hole.segment == nil || part != nil else { continue }
            let segment = ListedSegment(
                placed: part?.segment.placed
                    ?? PlacedSegment(
                        identity: SegmentIdentity(rendition: id, run: repairRun(use), number: number),
                        start: found.part.begin, duration: found.part.microseconds),
                entry: playlist.segments[index], arrival: arrival(of: fetched).date,
                flags: part?.segment.flags ?? [], listedNumber: playlist.number(at: index),
                discontinuityCount: domain, availableUntil: until)
            var request = SegmentRequest(segment: segment, base: fetched.base, use: use)
            request.held = part?.held
            request.repair = Repair(hole: found.hole, mediaStart: window.begin, isShown: areShown)
            filler.fetch(request, for: found.part)
        }
    }

    /// The source run for segments of another source; its id is lower than that of the run in use.
    private mutating func repairRun(_ use: SourceUse) -> Int64 {
        let (id, isNew) = filler.run(progress.repairRun(&generator))
        guard isNew else { return id }
        let source = SourceClient.identity(use.source.url)
        journal.add([
            .sourceRun(SourceRun(id: id, source: source, began: since, clock: progress.clock.rawValue))
        ])
        log(.info, "Holes are filled from another source", ["source": SourceClient.logged(use.source.url)])
        return id
    }
}

/// What becomes of the segments of other sources.
extension RecordingState {
    mutating func repairStored(_ stored: StoredSegment, _ request: SegmentRequest, _ repair: Repair) {
        filler.ended()
        if let part = repair.hole.segment { return incompleteSegmentRepaired(part, by: stored, request) }
        let segment = request.segment
        guard !missingSegments.isRecovered(segment.placed) else { return discard(stored) }
        let start = start(of: stored, segment, repair)
        guard !isMisplaced(stored, at: start, segment, repair) else {
            if isRecording { filler.reopen(request, excludesSource: true) }
            return discard(stored)
        }
        loseRepaired(by: segment.placed)
        guard var fact = factOfOtherSource(stored, segment) else { return }
        fact.flags.insert(.late)
        let slack = Limits.timestampSlack.magnitude
        if start.map({ ($0 - fact.start).magnitude > slack }) ?? true { fact.flags.insert(.spliced) }
        journal.add(
            JournalQueue.Write(
                entry: .segment(fact), purpose: .segment(request), retryUntil: segment.availableUntil))
    }

    /// Where a segment of another source begins on the timeline; nil if its media do not show it.
    private func start(of stored: StoredSegment, _ segment: ListedSegment, _ repair: Repair) -> Instant? {
        let probed = ProbedSegment(digest: stored.object.digest, firstTimestamp: stored.firstTimestamp)
        return progress.renditions[segment.identity.rendition]?.media.start(
            of: probed, near: repair.mediaStart ?? segment.placed.start)
    }

    /// Whether a segment belongs elsewhere than in its hole, or is there already: it would be held twice.
    private func isMisplaced(
        _ stored: StoredSegment, at start: Instant?, _ segment: ListedSegment, _ repair: Repair,
    ) -> Bool {
        let expected = repair.mediaStart ?? segment.placed.start
        if let start, (start - expected).magnitude > segment.placed.duration.magnitude / 3 { return true }
        let media = progress.renditions[segment.identity.rendition]?.media
        let isHeld =
            repair.isShown && start != nil
            ? media?.holdsSpliced(stored.object.digest) : media?.holds(stored.object.digest)
        return isHeld ?? false
    }

    /// Segments of the source in use whose time a segment of another source covers are not tried any more.
    private mutating func loseRepaired(by segment: PlacedSegment) {
        for settled in missingSegments.repaired(segment)
        where !publication.publisher.expects(settled.identity) {
            fetches.drop(settled.identity)
            publication.publisher.lost(settled, reason: .segmentMissing, note: "another source had it")
        }
    }

    /// The fact of a segment of another source; the source in use goes on with its own formats.
    mutating func factOfOtherSource(
        _ stored: StoredSegment, _ segment: ListedSegment, replaces: Int16? = nil,
    ) -> SegmentFact? {
        let formats = progress.lastFormats
        defer { progress.lastFormats = formats }
        return fact(
            of: stored, segment.placed, date: segment.programDateTime, arrived: segment.arrival,
            cueTags: segment.keptTags, replaces: replaces)
    }

    /// Reopens the hole, because the other source did not deliver the segment.
    mutating func repairFailed(_ request: SegmentRequest) {
        filler.ended()
        if isRecording { filler.reopen(request) }
    }

    /// A segment of the source in use came late.
    ///
    /// - Returns: false when another source has brought it meanwhile: it is not kept twice
    mutating func isStillWanted(_ stored: StoredSegment, _ request: SegmentRequest) -> Bool {
        let segment = request.segment.placed
        guard missingSegments.came(segment), !publication.publisher.expects(segment.identity) else {
            filler.settle(segment.window, of: segment.identity.rendition)
            return true
        }
        publication.publisher.lost(segment, reason: .segmentMissing, note: "another source had it")
        discard(stored)
        return false
    }

    /// Deletes the file of a segment that is not kept.
    ///
    /// The same bytes from another source have the same name, and the catalogue may not have their fact yet.
    mutating func discard(_ stored: StoredSegment) {
        let key = stored.object.key
        if !stored.object.wasThere, !newestKeys.contains(key) { perform(.deleteObject(key)) }
    }
}

/// A playlist of another source that waits for what one of its segments shows.
struct DoubtfulRepairPlaylist: Sendable {
    var playlist: MediaPlaylist
    var index: Int
    /// The windows of its entries by their dates; nil where those do not tell them.
    var datedWindows: [TimeWindow]?
    var fetched: FetchedPlaylist
}
