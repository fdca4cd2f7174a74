import Catalogue
import Concurrency
import HLS
import HTTP
import Journal
import Logging
import Timeline

/// Following the source in use, and looking for a better one.
extension RecordingState {
    mutating func followSources(at now: Moment) {
        if let use = sources.openDue(after: progress.earlierSource, now: now.steady) {
            let previous = progress.source ?? sources.source(identifiedBy: progress.earlierSource)
            if progress.use(use.source) {
                (sourceChangeCount, deviations) = (sourceChangeCount + 1, [])
                log(.info, "Another source is in use", ["source": SourceClient.logged(use.source.url)])
                loseExpired(of: previous ?? use.source)
            }
            let request = PlaylistRequest(use: use, purpose: .opening, isFresh: true, startedAt: now.steady)
            perform(.fetchPlaylist(request))
        }
        for request in sources.session?.dueRequests(now: now.steady) ?? [] {
            perform(.fetchPlaylist(request))
        }
        for probe in sources.session?.dueProbes(now: now.steady) ?? [] { perform(.probeSegment(probe)) }
        if let request = sources.failbackRequest(now: now.steady) { perform(.fetchPlaylist(request)) }
    }

    // MARK: Answers

    mutating func playlistArrived(
        _ fetched: FetchedPlaylist, _ request: PlaylistRequest, now: SteadyInstant,
    ) {
        guard isRecording else { return }
        let isCurrent = sources.isCurrent(request.use)
        if isCurrent { noteDeviations(fetched.notes) }
        switch request.purpose {
        case .failbackCheck: failbackPlaylistArrived(fetched, request, now: now)
        case .repair(let id): repairPlaylistArrived(fetched, request, id, now: now)
        case _ where !isCurrent: break
        case .opening: open(fetched, request, now: now)
        case .renewal: renew(fetched, now: now)
        case .rendition(let id): renditionArrived(fetched, id, now: now)
        }
    }

    private mutating func noteDeviations(_ notes: [DeviationNote]) {
        for note in notes { noteDeviation(note.message) }
    }

    private static let surplusTags = "tags before a segment: more than are kept"

    private mutating func noteDeviation(_ message: String) {
        guard deviations.count < Limits.deviations, !deviations.contains(message) else { return }
        deviations.append(message)
    }

    /// A playlist that was taken before came once more.
    mutating func playlistUnchanged(_ request: PlaylistRequest, at arrival: SteadyInstant) {
        guard isRecording, sources.isCurrent(request.use), case .rendition(let id) = request.purpose
        else { return }
        let until = sources.session?.unchanged(id, now: arrival)
        if let until { fetches.extendAvailability(id, until: until) }
        continuePolling(id, now: arrival)
    }

    mutating func playlistFailed(_ error: SourceError, _ request: PlaylistRequest, now: Moment) {
        guard isRecording else { return }
        // A request that waited too long in our own queue is sent again: the source has not failed.
        let isAsked = if case .notAsked = error { false } else { true }
        let isCurrent = sources.isCurrent(request.use)
        if isCurrent, !isAsked {
            log(.warning, "A playlist could not be requested in time", ["error": "\(error)"])
        }
        let steady = now.steady
        switch request.purpose {
        case .failbackCheck: sources.failbackPlaylistFailed(request, now: steady)
        case .repair: repairPlaylistFailed(request, now: steady)
        case _ where !isCurrent: break
        case .opening where isAsked: openingFailed(error, now: steady)
        case .opening: sources.notAsked(now: steady, chance: generator.jitter())
        case .renewal: sources.session?.renewalFailed()
        case .rendition(let id) where isAsked: renditionFailed(id, error, now: steady)
        case .rendition(let id): sources.session?.scheduleNext(id, now: steady, chance: generator.jitter())
        }
    }

    // MARK: The first playlist

    private mutating func open(
        _ fetched: FetchedPlaylist, _ request: PlaylistRequest, now: SteadyInstant,
    ) {
        do throws(SourceError) {
            switch fetched.playlist {
            case .media(let playlist): try openSingle(playlist, fetched, request, now: now)
            case .multivariant(let playlist): try openAll(playlist, fetched, now: now)
            }
        } catch {
            openingFailed(error, now: now)
        }
    }

    private mutating func openSingle(
        _ playlist: MediaPlaylist, _ fetched: FetchedPlaylist, _ request: PlaylistRequest,
        now: SteadyInstant,
    ) throws(SourceError) {
        guard !playlist.isIFramesOnly else {
            throw .unusable("the playlist holds I-frames only, which is not a channel")
        }
        guard let url = try? HTTPURL(request.use.source.url) else {
            throw .unusable("the source's URL cannot be read")
        }
        let id = RenditionID(kind: .video, index: 0)
        // The description by another source stays valid for the segments recorded from it.
        let description = progress.renditions[id]?.description ?? RenditionDescription(id: id)
        begin([description], .media, now: now)
        var poll = RenditionPollState(now: now, chance: generator.jitter())
        poll.begin(at: request.startedAt)
        sources.session?.open(single: id, at: url, poll: poll)
        renditionArrived(fetched, id, now: now)
    }

    private mutating func openAll(
        _ playlist: MultivariantPlaylist, _ fetched: FetchedPlaylist, now: SteadyInstant,
    ) throws(SourceError) {
        let plan = plan(playlist)
        if let message = plan.leftOut { noteDeviation(message) }
        guard !plan.items.isEmpty else {
            throw .unusable("no rendition of the source is one that the channel asks for")
        }
        let streams = try streams(of: plan, base: fetched.base)
        begin(plan.items.map(\.description), .multivariant, now: now)
        var polls: [RenditionID: RenditionPollState] = [:]
        for id in streams.keys.sorted() {
            polls[id] = RenditionPollState(now: now, chance: generator.jitter())
        }
        let moment = moment(now)
        sources.session?.open(streams, inherited: InheritedTags(of: playlist), polls: polls, at: moment)
    }

    private mutating func begin(
        _ descriptions: [RenditionDescription], _ form: PlaylistForm, now: SteadyInstant,
    ) {
        condition.renditionsOpened()
        journal.add(progress.open(descriptions))
        publication.open(named: descriptions.map(\.id), now: now)
        perform(.setPlaylistForm(form))
    }

    private mutating func openingFailed(_ error: SourceError, now: SteadyInstant) {
        sourceFailed(error.isUnreachable ? .sourceUnreachable : .sourceStalled, error)
        sources.openingFailed(now: now, chance: generator.jitter())
    }

    private mutating func sourceFailed(_ reason: GapReason, _ error: SourceError) {
        progress.noteOutage(reason)
        guard condition.sourceFailed(reason, error.description) else { return }
        log(.warning, "The source does not deliver", ["error": "\(error)"])
    }

    func plan(_ playlist: MultivariantPlaylist) -> RenditionPlan {
        RenditionPlan(
            playlist, choice: channel.settings.renditions,
            known: progress.renditions.values.map(\.description), recorded: progress.recorded)
    }

    /// Where the playlists of each rendition are, redundant ones last.
    private func streams(
        of plan: RenditionPlan, base: HTTPURL,
    ) throws(SourceError) -> [RenditionID: [HTTPURL]] {
        let inheritsQuery = sources.session?.use.source.inheritQuery ?? false
        var streams: [RenditionID: [HTTPURL]] = [:]
        for item in plan.items {
            do {
                streams[item.description.id] = try ([item.uri] + item.fallbacks).map {
                    try base.resolving($0, inheritingQuery: inheritsQuery)
                }
            } catch {
                throw .unusable("\(error)")
            }
        }
        return streams
    }

    // MARK: Reading the multivariant playlist again

    private mutating func renew(_ fetched: FetchedPlaylist, now: SteadyInstant) {
        let reason = sources.session?.renewalReason ?? ""
        guard case .multivariant(let playlist) = fetched.playlist else { return reopen(reason, now: now) }
        let (plan, moment) = (plan(playlist), moment(now))
        if let message = plan.leftOut { noteDeviation(message) }
        guard let streams = try? streams(of: plan, base: fetched.base),
            sources.session?.renewed(streams, inherited: InheritedTags(of: playlist), at: moment) ?? false
        else { return reopen(reason, now: now) }
        journal.add(progress.describe(plan.items.map(\.description)))
    }

    mutating func requestRenewal(because reason: String, now: SteadyInstant) {
        guard let request = sources.session?.renewal(because: reason, now: now) else { return }
        perform(.fetchPlaylist(request))
    }

    private mutating func reopen(_ reason: String, now: SteadyInstant) {
        log(.info, "The source is opened again", ["reason": reason])
        sources.reopen(now: now, chance: generator.jitter())
    }

    // MARK: Renditions

    private mutating func renditionArrived(
        _ fetched: FetchedPlaylist, _ id: RenditionID, now: SteadyInstant,
    ) {
        guard case .media(let playlist) = fetched.playlist else {
            let reason = "a multivariant playlist has replaced a media playlist"
            // The multivariant playlist names this URL: to open the source again would lead to it again.
            return sources.session?.isMultivariant ?? false
                ? renditionFailed(id, .unusable(reason), now: now) : reopen(reason, now: now)
        }
        if progress.reachesBeforeKnown(id, playlist) { return stop(.needsMoreHistory, now: now) }
        let moment = moment(now)
        sources.session?.redirected(id, to: fetched.redirectTarget, at: moment)
        let failures = sources.session?.polls[id]?.timing.failures ?? 0
        let statesTags = sources.session?.statesTagsInForce(id, playlist) ?? true
        guard playlist.skip == nil || statesTags && (failures >= 2 || progress.isContinued(id, by: playlist))
        else {
            let error = SourceError.unusable(
                "the playlist is a delta update that was not requested (EXT-X-SKIP)")
            return renditionFailed(id, error, now: now)
        }
        let listing = progress.playlistArrived(
            playlist, of: id, at: arrival(of: fetched), gap: condition.holeReason, room: room(for: id),
            &generator)
        accept(listing, playlist, fetched, id, now: now)
    }

    /// Takes what a playlist led to, and waits for the next one, unless a segment's bytes must be read first.
    private mutating func accept(
        _ listing: Listing, _ playlist: MediaPlaylist, _ fetched: FetchedPlaylist, _ id: RenditionID,
        now: SteadyInstant,
    ) {
        if let cause = listing.runCause {
            log(.info, "A source run begins", ["rendition": "\(id)", "reason": cause])
        }
        journal.add(listing.otherEntries)
        noteHoles(listing.otherEntries, of: id)
        if !playlist.segments.isEmpty {
            publication.sourceTarget(
                seconds: Int((PlaylistFollower.target(of: playlist) + 999_999) / 1_000_000))
        }
        publication.listed(
            listing.segments.map(\.placed), postponedCount: listing.postponedCount, now: now)
        publication.hold(listing.segments)
        if listing.segments.contains(where: \.hasSurplusTags) { noteDeviation(Self.surplusTags) }
        settleSource(playlist, of: id, isInDoubt: listing.probe != nil || listing.isStale)
        guard let use = sources.session?.use else { return }
        relist(listing, playlist, fetched, of: id, use, now: now)
        enqueue(listing, of: id, base: fetched.base, use)
        if let probe = listing.probe { return doubt(probe, playlist, fetched, use, now: now) }
        sources.session?.loaded(
            id, playlist, isChanged: listing.bringsNew, isStale: listing.isStale, now: now)
        // The same playlist is needed again where its segments are fetched in turns.
        let isDone =
            !listing.isStale && !playlist.segments.isEmpty && playlist.skip == nil
            && !listing.isIncomplete && !progress.isDeferring(id)
        sources.session?.setVersion(isDone ? fetched.version : nil, of: id)
        if condition.renditionRecovered(id) {
            log(.info, "A rendition delivers again", ["rendition": "\(id)"])
        }
        continuePolling(id, now: now)
    }

    private mutating func settleSource(_ playlist: MediaPlaylist, of id: RenditionID, isInDoubt: Bool) {
        guard !playlist.segments.isEmpty || playlist.isEnded else { return }
        logZone()
        if playlist.isEnded { progress.ended(id, isInDoubt: isInDoubt) }
        let leading = sources.session?.leading ?? []
        if condition.delivered(id, ended: playlist.isEnded, leading, dateRejection: progress.dateRejection) {
            log(.info, "The source delivers again")
        }
    }

    private mutating func renditionFailed(
        _ id: RenditionID, _ error: SourceError, now: SteadyInstant,
    ) {
        sources.session?.failed(id, now: now)
        guard var session = sources.session, let poll = session.polls[id] else { return }
        let condition = session.condition(after: id, now: now)
        sources.session = session
        if condition > .healthy {
            sourceFailed(.sourceUnreachable, error)
        } else if poll.timing.failures >= 2, self.condition.renditionFailed(id, error.description) {
            progress.noteOutage(.sourceUnreachable, id)
            log(.warning, "A rendition does not deliver", ["rendition": "\(id)", "error": "\(error)"])
        }
        // The target of a redirect may be gone for good, and the configured URL may now redirect
        // elsewhere.
        if error.needsReload || poll.timing.failures >= 2 {
            requestRenewal(because: error.description, now: now)
        }
        if poll.timing.failures >= 2 { _ = switchStream(id, because: error.description, now: now) }
        continuePolling(id, now: now)
    }

    /// Polls on, unless the source has brought nothing for so long that another one may do better.
    private mutating func continuePolling(_ id: RenditionID, now: SteadyInstant) {
        let condition = sources.session?.condition(after: id, now: now)
        let hasSwitched =
            sources.session?.isDown(id) ?? false && switchStream(id, because: "it brings nothing", now: now)
        if condition == .down, !hasSwitched {
            if sources.hasAlternative { return sources.leave(now: now, chance: generator.jitter()) }
            requestRenewal(because: "the source brings nothing", now: now)
        }
        sources.session?.scheduleNext(id, now: now, chance: generator.jitter())
    }

    /// Asks for a rendition at its next redundant stream.
    ///
    /// - Returns: false when it has none that was not tried
    private mutating func switchStream(
        _ id: RenditionID, because reason: String, now: SteadyInstant,
    ) -> Bool {
        guard sources.session?.switchStream(id, now: now) ?? false else { return false }
        progress.changeStream(of: id)
        log(
            .info, "A rendition is taken from another stream of the source",
            ["rendition": "\(id)", "reason": reason])
        return true
    }

    // MARK: Doubtful playlists

    mutating func segmentProbed(
        _ probed: ProbedSegment?, _ request: ProbeRequest, now: SteadyInstant,
    ) {
        if request.isForRepair { return repairProbed(probed, request, now: now) }
        let id = request.segment.identity.rendition
        guard isRecording, sources.isCurrent(request.use), let doubt = sources.session?.polls[id]?.doubt
        else {
            return
        }
        let listing = progress.probed(
            probed, request.segment, in: doubt.playlist, at: arrival(of: doubt.fetched),
            gap: condition.holeReason, room: room(for: id), &generator)
        accept(listing, doubt.playlist, doubt.fetched, id, now: now)
    }

    /// Probes a segment before the next playlist is requested, for at most one target duration.
    private mutating func doubt(
        _ segment: ListedSegment, _ playlist: MediaPlaylist, _ fetched: FetchedPlaylist, _ use: SourceUse,
        now: SteadyInstant,
    ) {
        let limit = min(.microseconds(PlaylistFollower.target(of: playlist)), Limits.playlistTimeout)
        let doubt = RenditionPollState.DoubtfulPlaylist(playlist: playlist, fetched: fetched)
        sources.session?.setDoubt(doubt, of: segment.identity.rendition)
        perform(
            .probeSegment(
                ProbeRequest(
                    segment: segment, base: fetched.base, use: use, until: now + limit, timeLimit: limit)))
    }

    /// What cannot be read stays in doubt, and the next playlist is judged once more.
    ///
    /// After some playlists the segment counts as another one: a source that lists what it does not hold must
    /// not keep the channel from recording.
    mutating func probeFailed(_ request: ProbeRequest, now: SteadyInstant) {
        if request.isForRepair { return repairProbed(nil, request, now: now) }
        let id = request.segment.identity.rendition
        guard isRecording, sources.isCurrent(request.use), var doubt = sources.session?.polls[id]?.doubt
        else {
            return
        }
        if progress.isJoining(request.segment.identity) { return segmentProbed(.unread, request, now: now) }
        var next = request
        next.attempt += 1
        let time = now + Limits.probePause
        next.timeLimit = request.until - time
        if next.attempt <= Limits.probeTries, next.timeLimit > .zero {
            doubt.retry = (next, time)
            sources.session?.setDoubt(doubt, of: id)
        } else if sources.session?.keepInDoubt(id, doubt.playlist, now: now) ?? false {
            log(.info, "Undecided: a stale playlist or a source restart", ["rendition": "\(id)"])
        } else {
            segmentProbed(.unread, request, now: now)
        }
    }

    // MARK: Preferred sources

    private mutating func failbackPlaylistArrived(
        _ fetched: FetchedPlaylist, _ request: PlaylistRequest, now: SteadyInstant,
    ) {
        switch sources.failbackPlaylistArrived(fetched, request) {
        case .nothing: break
        case .asks(let next): perform(.fetchPlaylist(next))
        case .delivers(let source):
            log(.info, "A preferred source delivers again", ["source": SourceClient.logged(source.url)])
            sources.failBack(source, now: now)
        }
    }
}
