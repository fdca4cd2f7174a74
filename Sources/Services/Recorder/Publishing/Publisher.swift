import Catalogue
import Concurrency
import Timeline

/// Decides what enters the published log, in what order, under which number and discontinuity sequence.
///
/// Has no side effects: events are passed in with the time of a steady clock, so that a step of the host's
/// clock ends no wait, and `advance` returns decisions. A decision is never taken back.
struct Publisher: Sendable {
    /// What one call of `advance` decided.
    struct Decisions: Sendable {
        var segments: [DecidedSegment] = []
        var discontinuityStarts: [DiscontinuityStart] = []
        var losses: [Loss] = []
        /// Those of the losses that are of `listed`.
        var overdue: [Loss] = []
        var lost: [PlacedSegment] = []
        /// Given up in their turn, and still to be fetched.
        var listed: [PlacedSegment] = []

        var isEmpty: Bool {
            segments.isEmpty && discontinuityStarts.isEmpty && losses.isEmpty && lost.isEmpty
        }
        /// Facts to be entered.
        var count: Int { segments.count + losses.count }
    }

    /// A boundary that was asked for and waits until all renditions have reached it.
    struct Request: Sendable {
        var at: Instant
        var cause: DiscontinuityCause
        var asked: Set<RenditionID>
        var since: SteadyInstant
    }

    var queues = ByRendition<RenditionQueue>()
    var discontinuitySequence: Int32
    /// No segment whose middle lies before it enters the discontinuity sequence.
    var discontinuityStart: Instant
    /// EXT-X-TARGETDURATION of growing playlists, seconds; it rises with a discontinuity sequence only.
    var targetSeconds: Int
    /// The longest target duration that the source has said, seconds.
    var sourceSeconds: Int
    /// Everything before is published or given up in every rendition that holds the others.
    private(set) var watermark: Instant
    /// End of the last published segment of any rendition.
    var end: Instant
    var hasBegun: Bool
    var request: Request?
    /// No fact that is still to be read back from the journal begins earlier; nil if none is to be read.
    var returning: Instant?
    /// Facts of segments that were given up before they came: they go to the archive only.
    private var lateFacts: [SegmentFact] = []
    /// Segments that were given up and are lost for good since.
    private var lateLosses: [PlacedSegment] = []

    /// Begins a channel, or continues from its published head.
    ///
    /// The published head does not say where its discontinuity sequence begins. Its end is taken for
    /// renditions that have not entered that one yet: later, never too early.
    init(publishedHead: PublishedHead) {
        discontinuitySequence = publishedHead.discontinuitySequence
        targetSeconds = publishedHead.targetSeconds
        sourceSeconds = publishedHead.targetSeconds
        watermark = publishedHead.watermark
        end = publishedHead.end
        hasBegun = publishedHead.end.microseconds > 0
        discontinuityStart = hasBegun ? publishedHead.end : Instant(microseconds: .min)
    }

    /// Opens a rendition's queue.
    mutating func open(_ queue: RenditionQueue) {
        if queues[queue.rendition] == nil { queues[queue.rendition] = queue }
    }

    /// A playlist of the source names these renditions: the others do not hold them any more.
    mutating func setNamed(_ named: Set<RenditionID>) {
        for id in queues.keys { queues[id]?.isNamed = named.contains(id) }
    }

    /// The source's target duration was seen.
    mutating func sourceTarget(_ seconds: Int) {
        sourceSeconds = max(sourceSeconds, seconds)
        if !hasBegun { targetSeconds = max(targetSeconds, sourceSeconds) }
    }

    /// Segments were listed, in order, with decided times.
    mutating func listed(
        _ segments: [PendingSegment], of rendition: RenditionID, now: SteadyInstant
    ) {
        guard !segments.isEmpty, let index = queues.index(of: rendition) else { return }
        queues.values[index].listed(segments, now: now)
    }

    /// Segments that wait in the queues, stored or not.
    var pendingCount: Int { queues.values.indices.reduce(0) { $0 + queues.values[$1].segments.count } }

    /// Whether a segment waits in its queue.
    func expects(_ identity: SegmentIdentity) -> Bool {
        queues.index(of: identity.rendition).map { queues.values[$0].index(of: identity) != nil } ?? false
    }

    /// A segment's bytes are durable; better ones may come unless they are final.
    mutating func stored(_ fact: SegmentFact, isFinal: Bool = true, now: SteadyInstant) {
        if let index = queues.index(of: fact.identity.rendition),
            queues.values[index].stored(fact, isFinal: isFinal, now: now)
        {
            return
        }
        lateFacts.append(fact)
    }

    /// No better bytes of a segment will come.
    mutating func markFinal(_ identity: SegmentIdentity) {
        if let index = queues.index(of: identity.rendition) { queues.values[index].markFinal(identity) }
    }

    /// A segment may come late: the reason is reported when its turn has passed.
    mutating func noteDelay(of identity: SegmentIdentity, _ reason: GapReason) {
        queues[identity.rendition]?.noteDelay(of: identity, reason)
    }

    /// A segment will not come.
    mutating func lost(_ segment: PlacedSegment, reason: GapReason, note: String) {
        guard expects(segment.identity) else { return lateLosses.append(segment) }
        queues[segment.identity.rendition]?.lost(segment.identity, reason: reason, note: note)
    }

    /// Removes and returns the segments at the end of each queue that are neither stored nor lost.
    mutating func detachExpected() -> [PendingSegment] {
        queues.keys.flatMap { queues[$0]?.detachExpected() ?? [] }
    }

    /// Lets every rendition move as far as it can, until so many facts are decided; the rest moves with the
    /// next call.
    mutating func advance(now: SteadyInstant, limit: Int = Limits.factsPerBatch) -> Decisions {
        var decisions = Decisions()
        takeLate(limit, &decisions)
        repeat {
            while decisions.count < limit, moveQueues(now: now, &decisions) {}
        } while decisions.count < limit && settleRequest(now: now, &decisions)
        moveWatermark(now: now)
        return decisions
    }

    /// The next time at which something may move without an event; nil when there is none.
    func nextTimeout(after now: SteadyInstant) -> SteadyInstant? {
        // A timeout has passed after its last instant.
        let target = target
        let end = request.map { $0.since + target + target + target + .milliseconds(1) }
        var next = end.flatMap { $0 > now ? $0 : nil }
        for index in queues.values.indices {
            next = next.orEarlier(queues.values[index].nextTimeout(after: now, target: target))
        }
        return next
    }

    /// The target duration by which timeouts are measured.
    var target: Duration { .seconds(max(targetSeconds, sourceSeconds, 1)) }

    private mutating func takeLate(_ limit: Int, _ decisions: inout Decisions) {
        if lateFacts.isEmpty, lateLosses.isEmpty { return }
        decisions.segments = lateFacts.prefix(limit).map { fact in
            var fact = fact
            fact.flags.insert(.late)
            return DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil)
        }
        lateFacts.removeFirst(decisions.segments.count)
        decisions.lost = Array(lateLosses.prefix(limit))
        lateLosses.removeFirst(decisions.lost.count)
    }

    /// Moves the watermark up to the settled end; before the first segment there is no live edge.
    ///
    /// A queue that waits for facts on their way back from the journal holds the watermark by what is still
    /// to come.
    private mutating func moveWatermark(now: SteadyInstant) {
        guard end.microseconds > 0 else { return }
        let target = target
        var settled: Instant?
        for index in queues.values.indices where !queues.values[index].isSilent(now: now, target: target) {
            let end = queues.values[index].next ?? queues.values[index].settledEnd ?? watermark
            settled = min(settled ?? end, end)
        }
        guard let reached = settled else { return }
        watermark = max(watermark, min(reached, returning ?? reached))
    }
}
