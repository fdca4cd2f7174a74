import Catalogue
import Concurrency
import Timeline

/// How a new discontinuity sequence begins.
extension Publisher {
    /// Segments count rounded to the nearest second (RFC 8216bis §4.4.3.1).
    static func roundedSeconds(_ microseconds: Int64) -> Int {
        Int((microseconds + 500_000) / 1_000_000)
    }

    /// The first one begins with the earliest of what the renditions have listed.
    mutating func beginFirst(_ decisions: inout Decisions) {
        guard !hasBegun, let first = queues.values.compactMap(\.segments.first?.start).min() else { return }
        hasBegun = true
        begin(at: first, cause: .start, &decisions)
    }

    /// Requests a boundary that a queue needs to go on; joins a request that waits already.
    ///
    /// The boundary is not before `end`: a discontinuity sequence cannot begin before published segments.
    mutating func ask(
        _ rendition: RenditionID, at instant: Instant, cause: DiscontinuityCause, now: SteadyInstant
    ) {
        let boundary = max(instant, end)
        var joined = request ?? Request(at: boundary, cause: cause, asked: [], since: now)
        joined.at = min(joined.at, boundary)
        joined.asked.insert(rendition)
        request = joined
    }

    /// Begins the next discontinuity sequence when every rendition has come to the boundary or has been
    /// waited for long enough.
    mutating func settleRequest(now: SteadyInstant, _ decisions: inout Decisions) -> Bool {
        guard let request else { return false }
        let isDue = now - request.since > target + target + target && !waitsForReadBack(before: request.at)
        guard isDue || queues.values.allSatisfy({ hasReached($0, request, now: now) }) else { return false }
        self.request = nil
        discontinuitySequence += 1
        begin(at: max(end, discontinuityStart), cause: request.cause, &decisions)
        return true
    }

    private func hasReached(_ queue: RenditionQueue, _ request: Request, now: SteadyInstant) -> Bool {
        if request.asked.contains(queue.rendition) { return true }
        let mayStillCome = waitsForReadBack(before: request.at)
        if queue.isSilent(now: now, target: target), !mayStillCome { return true }
        if let segment = queue.segments.first { return segment.middle > request.at }
        guard let end = queue.settledEnd else { return !mayStillCome }
        return end + Limits.joinTolerance >= request.at
    }

    /// Whether facts that are on their way back from the journal may begin before an instant.
    private func waitsForReadBack(before instant: Instant) -> Bool {
        returning.map { $0 <= instant } ?? false
    }

    /// A boundary waits for facts that are still in the journal.
    var waitsForReadBack: Bool {
        request.map { waitsForReadBack(before: $0.at) } ?? false
    }

    private mutating func begin(at instant: Instant, cause: DiscontinuityCause, _ decisions: inout Decisions)
    {
        discontinuityStart = instant
        raiseTarget()
        decisions.discontinuityStarts.append(
            DiscontinuityStart(
                sequence: discontinuitySequence, begin: instant, cause: cause, targetSeconds: targetSeconds))
    }

    /// What waits may need a longer target duration than the discontinuity sequence before said.
    private mutating func raiseTarget() {
        let waiting = queues.values.flatMap { $0.segments.lazy.map { Self.roundedSeconds($0.mediaDuration) } }
        targetSeconds = max(targetSeconds, sourceSeconds, waiting.max() ?? 0)
    }
}
