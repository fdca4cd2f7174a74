import Concurrency
import Timeline

/// Renditions that bring nothing while the others go on.
extension Publisher {
    /// The renditions that nothing waits for any more and whose end is before the watermark, sorted.
    ///
    /// A rendition with listed segments is not included: its losses are entered segment by segment.
    func passed(now: SteadyInstant) -> [RenditionID] {
        queues.values.filter { missing(of: $0) != nil && $0.isSilent(now: now, target: target) }
            .map(\.rendition).sorted()
    }

    /// What renditions lack up to now, each with its reason.
    ///
    /// Such a loss always begins where the rendition ended, so that a later one is the same loss, longer.
    func absences(_ reasons: [RenditionID: GapReason]) -> [Loss] {
        reasons.sorted { $0.key < $1.key }.compactMap { id, reason in
            queues[id].flatMap { missing(of: $0) }.map {
                Loss(window: $0, reason: reason, rendition: id, note: "the rendition brings nothing")
            }
        }
    }

    /// The time from a rendition's end up to the watermark; nil while it brings something, or never has.
    private func missing(of queue: RenditionQueue) -> TimeWindow? {
        guard queue.segments.isEmpty, let end = queue.settledEnd, watermark - end > Limits.joinTolerance
        else {
            return nil
        }
        return TimeWindow(begin: end, end: watermark)
    }
}
