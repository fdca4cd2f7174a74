import Concurrency
import HLS
import Journal
import Logging
import SegmentStore
import Timeline

/// Segments that are stored in part, and that another source has whole.
extension RecordingState {
    /// No more of a segment has come: another source may list it.
    mutating func searchOtherSources(_ request: SegmentRequest, now: SteadyInstant) {
        guard isRecording, sources.hasAlternative, let held = request.held, !held.isSuspected else { return }
        let segment = request.segment
        let part = IncompleteSegmentRepairs.Part(segment: segment, held: held)
        guard filler.parts.beginSearch(part, now: now) else {
            return
        }
        var hole = Hole(
            rendition: segment.identity.rendition, window: segment.placed.window,
            source: request.use.source.url, since: now)
        hole.segment = segment.identity
        filler.add(hole, now: now)
    }

    /// A segment of another source came that may replace a part.
    ///
    /// It may be published in the part's place, so it has to be the same media in the same format.
    mutating func incompleteSegmentRepaired(
        _ identity: SegmentIdentity, by stored: StoredSegment, _ request: SegmentRequest,
    ) {
        guard let part = filler.parts[identity] else { return discard(stored) }
        guard isWhole(stored, of: part.segment.placed),
            progress.lastFormats[identity.rendition].map(stored.format.followsSeamlessly) ?? false
        else {
            // The same bytes of its own source would have the same name.
            if !fetches.holds(identity) { discard(stored) }
            return filler.reopen(request)
        }
        filler.parts.repair(identity)
        if part.held.isCut { progress.settled(identity, part.held) }
        guard let fact = factOfOtherSource(stored, part.segment, replaces: part.held.revision) else { return }
        log(
            .info, "A segment that was not whole is replaced by that of another source",
            ["rendition": "\(identity.rendition)", "number": "\(identity.number)"])
        journal.add(
            JournalQueue.Write(
                entry: .segment(fact), purpose: .segment(request),
                retryUntil: request.segment.availableUntil))
    }

    /// Whether a stored segment has exactly the media of another one.
    ///
    /// Media that belong to the next segment would be played twice.
    private func isWhole(_ stored: StoredSegment, of segment: PlacedSegment) -> Bool {
        let probed = ProbedSegment(digest: stored.object.digest, firstTimestamp: stored.firstTimestamp)
        let media = progress.renditions[segment.identity.rendition]?.media
        guard !stored.flags.contains(.damaged),
            let shown = media?.start(of: probed, near: segment.start),
            (shown - segment.start).magnitude <= Limits.mediaTolerance.magnitude
        else { return false }
        let longest = max(segment.duration, stored.measuredDuration ?? 0)
        let length =
            stored.firstTimestamp.flatMap {
                media?.length(from: $0, upTo: 2 * longest, after: segment.identity)
            } ?? segment.duration
        let slack = max(Limits.missingEnd, length / 10)
        let surplus = (stored.measuredDuration ?? length) - length
        return (-slack...Limits.mediaTolerance).contains(surplus)
    }
}
