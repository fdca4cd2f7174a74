import Concurrency
import Journal
import Logging
import Timeline

/// Segments that are not whole.
extension RecordingState {
    /// Whether a segment of which a part came is asked for again.
    func mayBecomeWhole(_ request: SegmentRequest) -> Bool {
        if request.isLast || filler.parts.isRepaired(request.segment.identity) { return false }
        if request.mayBeWhole { return true }
        // Two attempts, because a cache may have stored the truncated bytes.
        if request.held?.isCut ?? false { return request.attempt <= Limits.triesForWhole }
        return request.attempt < Limits.triesForWhole
            || progress.renditions[request.segment.identity.rendition]?.expectsBetterBytes(request.held)
                ?? false
    }

    /// Whether better bytes of a stored segment are asked for, or have come and wait for the journal.
    func isImproved(_ identity: SegmentIdentity) -> Bool {
        fetches.holds(identity) || journal.holds(identity)
    }

    /// A stored segment need not be fetched again, and goes into the published log as it is.
    mutating func takeAsWhole(_ identity: SegmentIdentity) {
        fetches.drop(identity)
        publication.markFinal(identity)
    }

    /// A segment that counted as whole lacks its end, or may lack it: it was still being written when it was
    /// fetched, or a cache had not all of it.
    mutating func askForEnd(
        of segment: ListedSegment, _ held: IncompleteSegment, as next: SegmentRequest, now: SteadyInstant,
    ) {
        guard segment.availableUntil > now, !fetches.holds(segment.identity) else {
            return progress.settled(segment.identity, held)
        }
        var request = SegmentRequest(segment: segment, base: next.base, use: next.use)
        (request.held, request.attempt) = (held, Limits.triesForWhole)
        fetches.add([request], of: segment.identity.rendition)
        log(
            .info,
            held.isSuspected
                ? "A segment may lack its end and is fetched again"
                : "A segment lacks its end and is fetched again",
            ["rendition": "\(segment.identity.rendition)", "number": "\(segment.identity.number)"])
    }

    mutating func logStored(_ fact: SegmentFact, isIncomplete: Bool) {
        guard fact.replaces == nil ? isIncomplete : !isIncomplete else { return }
        log(
            isIncomplete ? .notice : .info,
            isIncomplete
                ? "A segment is not whole and is fetched again" : "A segment that was not whole is replaced",
            ["rendition": "\(fact.identity.rendition)", "number": "\(fact.identity.number)"])
    }

    /// What is stored of a segment stays.
    mutating func noBetterBytes(
        _ failure: FetchFailure, _ request: SegmentRequest, now: SteadyInstant,
    ) {
        var request = request
        if failure.hasNoBetterBytes { request.hasNoBetterBytes = true }
        if failure.isOtherBeginning { request.listingsSinceOtherBytes = request.listingsSinceOtherBytes ?? 0 }
        let isRetried = isLeftToNext(request, failure) || failure.isTransient && mayBecomeWhole(request)
        if !isRetried || request.attempt >= Limits.triesForWhole { searchOtherSources(request, now: now) }
        request.damagedByteCount = failure.damagedByteCount ?? request.damagedByteCount
        // Where all that came was cut, the source fails as if nothing had come.
        let isFailure = request.mayBeWhole && !failure.isOwnLimit && failure.reason != .diskFull
        tried(
            request, succeeded: isFailure ? false : nil, retry: isRetried ? now + request.pause : nil,
            now: now)
        if failure.isDenied { denied(failure.description, request.use, now: now) }
        if !isRetried { settle(request) }
    }

    /// Whether the next recorder asks for better bytes, as the end of this one stopped a try.
    private func isLeftToNext(_ request: SegmentRequest, _ failure: FetchFailure) -> Bool {
        isFinishing && !failure.hasNoBetterBytes && !filler.parts.isRepaired(request.segment.identity)
    }

    /// No better bytes of a segment are asked for.
    mutating func settle(_ request: SegmentRequest) {
        progress.settled(request.segment.identity, request.held)
        takeAsWhole(request.segment.identity)
    }
}
