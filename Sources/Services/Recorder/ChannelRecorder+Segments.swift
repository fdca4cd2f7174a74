import Catalogue
import Concurrency
import HLS
import Journal
import Logging
import SegmentStore
import Timeline

/// What becomes of a listed segment.
extension ChannelRecorder {
    /// A segment's bytes are durable: the fact goes to the journal, then to the publisher.
    func stored(_ listed: ListedSegment, _ stored: SegmentFetcher.Stored) async throws {
        try await enter(
            stored, identity: listed.identity, start: listed.start, duration: listed.duration,
            date: listed.entry.programDateTimeMicroseconds.map { Instant(microseconds: $0) },
            arrived: listed.arrival, boundary: listed.boundary)
    }

    func enter(
        _ stored: SegmentFetcher.Stored, identity: SegmentIdentity, start: Instant, duration: Int64,
        date: Instant?, arrived: Instant, boundary: String?,
    ) async throws {
        guard case .segment(_, _, let name) = stored.object.key else { return }
        let fact = SegmentFact(
            channel: channel.id, identity: identity, start: start, duration: duration,
            revision: name.revision, format: settled(stored.format, of: identity.rendition),
            flags: stored.flags,
            storedBytes: stored.object.byteCount, plainBytes: stored.plainBytes, iv: stored.iv,
            programDateTime: date, arrived: arrived, firstTimestamp: stored.firstTimestamp,
            digest: stored.object.digest,
            fence: lease.fence, boundary: boundary)
        let line = try await journal.append([.segment(fact)]).first
        renditions[fact.identity.rendition]?.count(fact)
        (lastStored, refusal) = (parts.clock.steady(), nil)
        if let line { hold(fact, at: line) }
    }

    /// The journal could not take a fact that it may take a little later.
    func awaitsJournal(_ detail: String) {
        if refusal != detail {
            logger.warning("A segment waits for the journal", metadata: ["cause": "\(detail)"])
        }
        refusal = detail
    }

    /// A download ended without a segment.
    ///
    /// One that was cancelled by stopping is not lost: it is fetched after the restart.
    func failed(_ listed: ListedSegment, _ failure: FetchFailure) async {
        guard !Task.isCancelled else { return }
        lost(listed.asLost, failure)
        await journalNews()
    }

    /// A segment will not come; what is to be journalled of it waits for `journalNews`.
    func lost(_ segment: LostSegment, _ failure: FetchFailure) {
        let identity = segment.identity
        let id = identity.rendition
        renditions[id]?.countLost(failure.reason)
        refusal = "\(id): segments cannot be had: \(failure)"
        if backlog?.settle(identity) ?? false {
            let window = TimeWindow(begin: segment.start, end: segment.start + segment.duration)
            unjournalled.append(
                .loss(Loss(window: window, reason: failure.reason, rendition: id, note: "\(failure)")))
        } else {
            publisher.lost(segment, reason: failure.reason, note: failure.description)
        }
        logger.warning(
            "A segment is lost",
            metadata: [
                "rendition": "\(id)", "number": "\(identity.number)",
                "reason": "\(failure.reason.word)",
                "cause": "\(failure)",
            ])
    }

    /// What a segment does not say of its codecs is taken from the one before it with the same tracks.
    private func settled(_ state: SegmentFormat, of id: RenditionID) -> SegmentFormat {
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
}
