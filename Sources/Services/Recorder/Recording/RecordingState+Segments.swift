import Catalogue
import Concurrency
import HLS
import HTTP
import Journal
import Logging
import SegmentStore
import Timeline

/// What becomes of listed segments.
extension RecordingState {
    /// How many new segments of a rendition can be fetched now; none while the journal takes no facts.
    func room(for id: RenditionID) -> Int {
        journal.count < Limits.waitingSegments ? fetches.room(for: id) : 0
    }

    mutating func enqueue(_ listing: Listing, of id: RenditionID, base: HTTPURL, _ use: SourceUse) {
        let requests =
            listing.due.map { SegmentRequest(segment: $0, base: base, use: use, isPostponed: true) }
            + listing.prompt.map { SegmentRequest(segment: $0, base: base, use: use) }
        for gap in requests where gap.segment.entry.isGap {
            let note = "EXT-X-GAP or an impossible byte range"
            lose(gap.segment.placed, FetchFailure(.sourceGap, note, isTransient: false))
            searchOtherSources(gap.segment.placed, .sourceGap, notIn: use.source)
        }
        fetches.add(requests.filter { !$0.segment.entry.isGap }, of: id)
        for part in listing.parts where !fetches.holds(part.segment.identity) {
            var request = SegmentRequest(segment: part.segment, base: base, use: use)
            request.held = part.held
            fetches.add([request], of: id)
        }
        loseExpired(of: use.source)
    }

    /// What a playlist says of segments that are still to be fetched: they may be listed again, and others
    /// may have their addresses.
    mutating func relist(
        _ listing: Listing, _ playlist: MediaPlaylist, _ fetched: FetchedPlaylist, of id: RenditionID,
        _ use: SourceUse, now: SteadyInstant,
    ) {
        filler.noteList(playlist, of: use.source)
        guard !listing.isStale, listing.probe == nil else {
            return fetches.markDoubtful(playlist, of: id, use, base: fetched.base, now: now)
        }
        if listing.runCause != nil {
            fetches.markDoubtful(except: id, use, until: now + Limits.doubt(of: playlist))
        }
        let replaced = fetches.dropReplaced(
            by: listing.segments, in: playlist, of: id, use, base: fetched.base)
        for request in replaced { giveUp(request) }
        let rendition = progress.renditions[id]
        fetches.relist(
            playlist, of: id, run: rendition?.run, areRenamed: rendition?.follower.ignoresNames ?? false,
            use, base: fetched.base, arrival: fetched.arrival.steady)
    }

    /// Another segment has the address of one that is still to be fetched: what is stored of that stays.
    private mutating func giveUp(_ request: SegmentRequest) {
        let segment = request.segment.placed
        if request.held != nil { return settle(request) }
        lose(segment, FetchFailure(.segmentExpired, "its URL now has another segment", isTransient: false))
        searchOtherSources(segment, .segmentExpired, notIn: request.use.source)
    }

    /// Takes the answer of a download whose bytes may be those of another segment.
    ///
    /// - Returns: false where they are the segment's own
    private mutating func isOfAnother(_ request: SegmentRequest, now: SteadyInstant) -> Bool {
        switch fetches.ownership(of: request.segment.identity, now: now) {
        case .own: return false
        case .doubted: tried(request, succeeded: nil, retry: now + request.pause, now: now)
        case .replaced:
            tried(request, succeeded: nil, now: now)
            giveUp(request)
        }
        return true
    }

    /// Gives up segments that left a source's playlist before they were fetched.
    mutating func loseExpired(of source: SourceSettings) {
        for expired in progress.takeExpired() {
            let segment = expired.placed
            let failure = FetchFailure(
                expired.reason, "the playlist dropped it before it could be fetched")
            lose(segment, failure)
            // The node that waited for the key may not have recorded the loss.
            if expired.reason == .keyMissing { journal.add([.loss(segment.loss(by: failure))]) }
            searchForExpired(segment, notIn: source)
        }
    }

    mutating func segmentStored(
        _ stored: StoredSegment, _ request: SegmentRequest, now: SteadyInstant,
    ) {
        if let repair = request.repair { return repairStored(stored, request, repair) }
        if isOfAnother(request, now: now) { return discard(stored) }
        let segment = request.segment
        guard request.held != nil || isStillWanted(stored, request) else {
            return tried(request, succeeded: true, now: now)
        }
        if filler.parts.isRepaired(segment.identity) {
            discard(stored)
            return tried(request, succeeded: true, now: now)
        }
        let judgement = progress.judge(segment, stored, replacing: request.held)
        var next = request
        (next.held, next.hasNoBetterBytes) = (IncompleteSegment(stored), false)
        let retry = judgement.isIncomplete && mayBecomeWhole(next) ? now + request.pause : nil
        tried(next, succeeded: !stored.isCut || request.attempt > 1, retry: retry, now: now)
        if retry == nil { progress.settled(segment.identity, judgement.isIncomplete ? next.held : nil) }
        if !judgement.isIncomplete {
            filler.drop(segment.identity)
        } else if retry == nil {
            searchOtherSources(next, now: now)
        }
        for identity in judgement.whole { takeAsWhole(identity) }
        for (cut, held) in judgement.cut { askForEnd(of: cut, held, as: request, now: now) }
        let fact = fact(
            of: stored, segment.placed, date: segment.programDateTime, arrived: segment.arrival,
            cueTags: segment.keptTags, replaces: request.held?.revision)
        guard var fact else { return }
        if judgement.isIncomplete, !fact.flags.contains(.damaged) { fact.flags.insert(.short) }
        logStored(fact, isIncomplete: judgement.isIncomplete)
        journal.add(
            JournalQueue.Write(
                entry: .segment(fact), purpose: .segment(request), retryUntil: segment.availableUntil))
    }

    mutating func segmentKeyMissed(
        _ pending: KeyPendingSegment, _ request: SegmentRequest, now: SteadyInstant,
    ) {
        // The encrypted bytes may be those of another segment that waits for its key: they stay.
        if request.repair != nil { return repairFailed(request) }
        if isOfAnother(request, now: now) { return }
        tried(request, succeeded: true, now: now)
        var pending = pending
        pending.fence = lease.fence
        journal.add(
            JournalQueue.Write(
                entry: .keyPending(pending), purpose: .keyPending(request),
                retryUntil: request.segment.availableUntil))
    }

    /// A segment is tried at growing distances while the source can be expected to hold it (RFC 8216bis
    /// §6.2.2), and three times at least.
    mutating func segmentFailed(
        _ failure: FetchFailure, _ request: SegmentRequest, now: SteadyInstant,
    ) {
        if request.repair != nil { return repairFailed(request) }
        if case .replaced = fetches.ownership(of: request.segment.identity, now: now) {
            tried(request, succeeded: nil, now: now)
            return giveUp(request)
        }
        if request.held != nil { return noBetterBytes(failure, request, now: now) }
        // A full disk, or too many transfers here, are not the source's fault.
        let isRetried = isFinishing || failure.isTransient && !request.isLast
        var request = request
        request.damagedByteCount = failure.damagedByteCount ?? request.damagedByteCount
        if failure.reason == .diskFull { request.wasDiskFull = true }
        let cause = request.wasDiskFull ? failure.asDiskFull : failure
        if isRetried {
            publication.publisher.noteDelay(of: request.segment.identity, cause.reason)
            progress.retried(request.segment.identity.rendition)
        }
        if !failure.isOwnLimit {
            if Self.isWorthSearching(failure.reason) { request.isRefused = true }
            condition.segmentFailed(failure.reason)
        }
        tried(
            request, succeeded: failure.isOwnLimit ? nil : failure.reason == .diskFull,
            retry: isRetried ? now + request.pause : nil, now: now)
        if failure.isDenied { denied(failure.description, request.use, now: now) }
        guard !isRetried else { return }
        lose(request.segment.placed, cause)
        if request.isRefused {
            searchOtherSources(request.segment.placed, failure.reason, notIn: request.use.source)
        }
    }

    /// A URL is refused: the multivariant playlist may have others by now.
    mutating func denied(_ reason: String, _ use: SourceUse, now: SteadyInstant) {
        guard isRecording, sources.isCurrent(use) else { return }
        requestRenewal(because: reason, now: now)
    }

    mutating func tried(
        _ request: SegmentRequest, succeeded: Bool?, retry: SteadyInstant? = nil,
        now: SteadyInstant,
    ) {
        fetches.ended(request, retry: retry)
        guard let succeeded, sources.isCurrent(request.use) else { return }
        sources.session?.tried(request.segment.identity.rendition, succeeded: succeeded, now: now)
    }

    /// A segment will not come.
    mutating func lose(_ segment: PlacedSegment, _ failure: FetchFailure) {
        let identity = segment.identity
        progress.lost(identity.rendition, failure.reason)
        _ = condition.segmentsRefused("\(identity.rendition): segments cannot be fetched: \(failure)")
        if let entry = publication.lost(segment, failure) { journal.add([entry]) }
        log(
            .warning, "A segment is lost",
            [
                "rendition": "\(identity.rendition)", "number": "\(identity.number)",
                "reason": failure.reason.word, "error": "\(failure)",
            ])
    }

    mutating func fact(
        of stored: StoredSegment, _ segment: PlacedSegment, date: Instant?, arrived: Instant,
        cueTags: [String],
        replaces: Int16? = nil,
    ) -> SegmentFact? {
        let format = progress.completed(stored.format, of: segment.identity.rendition)
        let fact = stored.fact(
            of: segment, channel.id, format, date: date, arrived: arrived, fence: lease.fence)
        guard var fact else { return nil }
        fact.setTags(publication.cueTags.kept(cueTags, of: segment.identity))
        fact.replaces = replaces
        newestKeys.append(stored.object.key)
        if newestKeys.count > Limits.newestKeys { newestKeys.removeFirst() }
        return fact
    }
}

/// What the journal has taken, or has not.
extension RecordingState {
    mutating func written(
        _ write: JournalQueue.Write, at line: JournalPosition, now: SteadyInstant,
    ) {
        // Only the entry is switched on: a tuple would copy both values.
        switch write.entry {
        case .segment(let fact): written(fact, write.purpose, at: line, now: now)
        case .keyPending(let pending):
            guard case .keyPending(let request) = write.purpose else {
                return publication.written(write.entry, at: line)
            }
            if publication.keyPendingLines.isEmpty {
                log(
                    .warning, "A key is missing: segments are stored encrypted",
                    ["rendition": "\(pending.identity.rendition)", "number": "\(pending.identity.number)"])
            }
            condition.segmentStored(now: now, entersCatalogue: false)
            publication.keyPending(pending, at: line)
            retryLater(pending, request.use, now: now)
        case .sourceRun, .loss, .marker, .rendition:
            publication.written(write.entry, at: line)
        }
    }

    private mutating func written(
        _ fact: SegmentFact, _ purpose: JournalQueue.Write.Purpose, at line: JournalPosition,
        now: SteadyInstant,
    ) {
        switch purpose {
        case .segment(let request) where request.repair != nil:
            if fact.replaces == nil {
                progress.stored(fact)
            } else {
                fetches.drop(fact.identity)
                progress.noteRepair(fact.identity)
            }
            publication.stored(fact, at: line, now: now)
        case .segment:
            entered(fact, at: line, now: now)
        case .keyOpened(let pending):
            entered(fact, at: line, now: now)
            keys.settled(pending, now: now)
            settleKey(pending, bytesAt: fact.key)
        case .keyPending, .other:
            publication.written(.segment(fact), at: line)
        }
    }

    private mutating func entered(
        _ fact: SegmentFact, at line: JournalPosition, now: SteadyInstant,
    ) {
        progress.stored(fact)
        condition.segmentStored(now: now)
        publication.stored(fact, at: line, isFinal: !isImproved(fact.identity), now: now)
    }

    mutating func notWritten(
        _ write: JournalQueue.Write, _ error: JournalError, now: SteadyInstant,
    ) {
        switch write.purpose {
        case .segment(let request) where request.held != nil || request.repair != nil:
            if let part = request.repair?.hole.segment { filler.parts.repairNotStored(part) }
            let identity = request.segment.identity
            if !isImproved(identity) { publication.markFinal(identity) }
        case .segment(let request), .keyPending(let request):
            let reason: GapReason = error.isTransient ? .diskFull : .segmentMissing
            lose(request.segment.placed, FetchFailure(reason, "the journal: \(error)"))
        case .keyOpened(let pending):
            keys.notWritten(pending, now: now)
        case .other:
            publication.written(write.entry, at: nil)
        }
    }
}

/// Segments whose key comes after their bytes, or never.
extension RecordingState {
    /// Gives the segments that an earlier process left without keys to the sources that they are from.
    mutating func resumeKeys(_ segments: [KeyPendingSegment], now: SteadyInstant) {
        var uses: [String: SourceUse] = [:]
        for segment in segments.sorted(by: { $0.start < $1.start }) {
            guard let source = channel.settings.source(of: segment) else { return }
            let use = uses[source.url] ?? SourceUse(number: sources.nextUse(), source: source)
            uses[source.url] = use
            retryLater(segment, use, now: now)
        }
    }

    private mutating func retryLater(
        _ segment: KeyPendingSegment, _ use: SourceUse, now: SteadyInstant,
    ) {
        guard let oldest = keys.add(segment, use, now: now) else { return }
        giveUp(oldest, "too many segments wait for keys")
    }

    mutating func retryKeys(now: SteadyInstant) {
        if keys.isEmpty { return }
        for segment in keys.expired(now: now) { giveUp(segment, "the key was missing for too long") }
        if let (segment, use) = keys.start(now: now) {
            perform(.openPendingSegment(segment, sources.present(use)))
        }
    }

    mutating func opened(
        _ result: Result<StoredSegment, FetchFailure>, _ segment: KeyPendingSegment,
        now: SteadyInstant,
    ) {
        switch result {
        case .success(let stored):
            keys.opened(segment)
            let fact = fact(
                of: stored, segment.placed, date: segment.programDateTime, arrived: segment.arrived,
                cueTags: segment.cueTags)
            guard let fact else { return }
            journal.add(JournalQueue.Write(entry: .segment(fact), purpose: .keyOpened(segment)))
        case .failure(let failure):
            guard keys.failed(segment, failure, now: now) else { return }
            lose(segment, failure)
            settleKey(segment, bytesAt: segment.key)
        }
    }

    private mutating func giveUp(_ segment: KeyPendingSegment, _ reason: String) {
        lose(segment, FetchFailure(.keyMissing, reason, isTransient: false))
        settleKey(segment, bytesAt: nil)
    }

    /// A segment will not come: what follows is published already, so its cue tags become markers.
    private mutating func lose(_ segment: KeyPendingSegment, _ failure: FetchFailure) {
        lose(segment.placed, failure)
        let tags = publication.cueTags.kept(segment.cueTags, of: segment.identity)
        journal.add(progress.cueMarkers(tags, at: segment.start))
    }

    /// A segment does not wait for its key any more; its encrypted bytes go, unless they are what was stored.
    private mutating func settleKey(_ segment: KeyPendingSegment, bytesAt kept: ArchiveKey?) {
        publication.keySettled(segment.identity)
        if publication.keyPendingLines.isEmpty { log(.info, "No segment waits for a key any more") }
        if segment.key != kept { perform(.deleteObject(segment.key)) }
    }
}
