import Concurrency
import Timeline

/// Renditions that the source names and that bring nothing while the others are published.
extension RecordingState {
    /// The next batch, with what such renditions lack: their gaps show while they grow.
    ///
    /// The reason stays when they come back.
    mutating func nextBatch(now: SteadyInstant) -> PendingBatch? {
        let absent = absentRenditions(now: now)
        let pending = publication.nextBatch(absent: absent, now: now)
        for loss in pending?.growing ?? [] {
            if let id = loss.rendition { progress.noteOutage(loss.reason, id) }
        }
        return pending
    }

    /// Renditions that the source names and that bring nothing, each with the reason that it had first.
    ///
    /// A rendition that the source has removed has no gap. In doubt, the multivariant playlist is read again.
    private mutating func absentRenditions(now: SteadyInstant) -> [RenditionID: GapReason] {
        guard isRecording, !publication.hasBacklog else { return [:] }
        var reasons: [RenditionID: GapReason] = [:]
        for id in publication.publisher.passed(now: now) {
            guard let reason = sources.session?.absence(of: id, now: now) else { continue }
            if sources.session?.isStillNamed(id) ?? false {
                reasons[id] = progress.renditions[id]?.outage ?? reason
            } else {
                requestRenewal(because: "a rendition brings nothing", now: now)
            }
        }
        return reasons
    }
}
