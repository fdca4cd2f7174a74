import Catalogue
import Timeline

/// How epochs begin.
extension Publisher {
    /// Segments count rounded to the nearest second (RFC 8216bis §4.4.3.1).
    static func roundedSeconds(_ microseconds: Int64) -> Int {
        Int((microseconds + 500_000) / 1_000_000)
    }

    /// The first epoch begins with the earliest of what the renditions have listed.
    mutating func beginFirstEpoch(_ decisions: inout Decisions) {
        guard !hasEpoch, let first = lanes.values.compactMap(\.slots.first?.start).min() else { return }
        hasEpoch = true
        begin(at: first, cause: "begin", &decisions)
    }

    /// Waits for a boundary that a lane needs to go on; what another one waits for already is joined.
    ///
    /// The others may come up to what is published already: the epoch cannot begin before that.
    mutating func ask(
        _ rendition: RenditionID, at instant: Instant, cause: String, now: ContinuousClock.Instant
    ) {
        let place = max(instant, end)
        var joined = request ?? Request(at: place, cause: cause, asked: [], since: now)
        joined.at = min(joined.at, place)
        joined.asked.insert(rendition)
        request = joined
    }

    /// Begins the next epoch when every rendition has come to the boundary or has been waited for long enough.
    mutating func settleRequest(now: ContinuousClock.Instant, _ decisions: inout Decisions) -> Bool {
        guard let request else { return false }
        let isDue = now - request.since > target * 3 && !awaitsReturning(before: request.at)
        guard isDue || lanes.values.allSatisfy({ hasReached($0, request, now: now) }) else { return false }
        self.request = nil
        discontinuitySequence += 1
        begin(at: max(end, epochBegin), cause: request.cause, &decisions)
        return true
    }

    private func hasReached(_ lane: Lane, _ request: Request, now: ContinuousClock.Instant) -> Bool {
        if request.asked.contains(lane.rendition) { return true }
        let mayStillCome = awaitsReturning(before: request.at)
        if lane.isSilent(now: now, target: target), !mayStillCome { return true }
        if let slot = lane.slots.first { return slot.middle > request.at }
        guard let end = lane.settledEnd else { return !mayStillCome }
        return end + Limits.seam >= request.at
    }

    /// Whether facts that are on their way back from the journal may begin before an instant.
    private func awaitsReturning(before instant: Instant) -> Bool {
        returning.map { $0 <= instant } ?? false
    }

    /// A boundary waits for facts that are still in the journal.
    var awaitsReturning: Bool {
        request.map { awaitsReturning(before: $0.at) } ?? false
    }

    private mutating func begin(at instant: Instant, cause: String, _ decisions: inout Decisions) {
        epochBegin = instant
        raiseTarget()
        decisions.discontinuityStarts.append(
            DiscontinuityStart(
                sequence: discontinuitySequence, begin: instant, cause: cause, targetSeconds: targetSeconds))
    }

    /// What waits may need a longer target duration than the epoch before said.
    private mutating func raiseTarget() {
        let waiting = lanes.values.flatMap { $0.slots.lazy.map { Self.roundedSeconds($0.duration) } }
        targetSeconds = max(targetSeconds, sourceSeconds, waiting.max() ?? 0)
    }
}
