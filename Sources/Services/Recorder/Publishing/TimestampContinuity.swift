import MediaFormat
import Timeline

/// How the timestamps of a queue's segments go on from one to the next.
///
/// An encoder may restart, continue its numbers and not announce it; players stall where time jumps inside a
/// discontinuity domain.
struct TimestampContinuity: Sendable {
    private struct Sample {
        var identity: SegmentIdentity
        var timestamp: Int64
        /// How long its media are, and its time, as far as they are known.
        var measured: Int64?
        var duration: Int64?

        /// Nil when the fact does not say where its media begins and how long it lasts.
        init?(_ fact: SegmentFact) {
            (identity, measured) = (fact.identity, fact.measuredDuration)
            duration = fact.flags.contains(.correctedDuration) ? nil : fact.duration
            guard measured != nil || duration != nil, let first = fact.firstTimestamp else { return nil }
            timestamp = first
        }

        /// Whether media that start `step` later continue this sample.
        func fits(_ step: Int64) -> Bool {
            [measured, duration].contains {
                $0.map { abs(step - $0) <= Limits.timestampSlack + $0 / 10 } ?? false
            }
        }
    }

    /// The segment published last, as far as it can be compared.
    private var last: Sample?
    /// The timestamps went on by the duration when they were last compared.
    ///
    /// A source whose EXTINF never fits its media would have a boundary at every segment.
    private var isReliable = false

    /// Whether the timestamps of a segment jump away from what was published last.
    func jumps(to fact: SegmentFact) -> Bool {
        isReliable && isContinued(by: fact) == false
    }

    /// A segment was published.
    mutating func take(_ fact: SegmentFact) {
        isReliable = isContinued(by: fact) ?? false
        last = Sample(fact)
    }

    /// Whether the timestamps went on by the last duration; nil unless the segment is the next one of the
    /// numbering.
    private func isContinued(by fact: SegmentFact) -> Bool? {
        guard let last, let next = Sample(fact), next.identity.run == last.identity.run,
            next.identity.number == last.identity.number + 1
        else { return nil }
        let ticks = PresentationTime.difference(
            UInt64(bitPattern: next.timestamp), UInt64(bitPattern: last.timestamp))
        let step = ticks * Microseconds.perSecond / Int64(PresentationTime.timescale)
        return last.fits(step)
    }
}
