import Catalogue
import Timeline

/// Decides what enters the published log, in what order, under which number and epoch.
///
/// Pure: events go in with the time they happened, by a steady clock, as waiting must not end with a step of the host's;
/// decisions come out of `advance`. What was decided is never taken back.
struct Publisher: Sendable {
    /// What one call of `advance` decided.
    struct Decisions: Sendable {
        var segments: [DecidedSegment] = []
        var discontinuityStarts: [DiscontinuityStart] = []
        var losses: [Loss] = []
        var lost: [LostSegment] = []

        var isEmpty: Bool {
            segments.isEmpty && discontinuityStarts.isEmpty && losses.isEmpty && lost.isEmpty
        }
        /// Facts to be entered.
        var count: Int { segments.count + losses.count }
    }

    /// A wish for a boundary that waits until all renditions have come to it.
    struct Request: Sendable {
        var at: Instant
        var cause: String
        var asked: Set<RenditionID>
        var since: ContinuousClock.Instant
    }

    var lanes: [RenditionID: Lane] = [:]
    var discontinuitySequence: Int32
    /// No segment whose middle lies before it enters the epoch.
    var epochBegin: Instant
    /// EXT-X-TARGETDURATION of growing lists, seconds; it rises with an epoch only.
    var targetSeconds: Int
    /// The longest target duration that the source has said, seconds.
    var sourceSeconds: Int
    /// Everything before is published or given up in every rendition that holds the others.
    private(set) var watermark: Instant
    /// End of the last published segment of any rendition.
    var end: Instant
    var hasEpoch: Bool
    var request: Request?
    /// While facts come back from the journal: nothing that is still to come begins earlier.
    var returning: Instant?
    /// Facts of segments that were given up before they came: they go to the archive only.
    private var late: [SegmentFact] = []
    /// Segments that were given up and are lost for good since.
    private var lateLost: [LostSegment] = []

    /// Begins a channel, or goes on where its line stands.
    ///
    /// Without the begin of the line's epoch, its end is taken for renditions that have not entered that epoch yet:
    /// later, never too early.
    init(publishedHead: PublishedHead, epochBegin: Instant? = nil) {
        discontinuitySequence = publishedHead.discontinuitySequence
        targetSeconds = publishedHead.targetSeconds
        sourceSeconds = publishedHead.targetSeconds
        watermark = publishedHead.watermark
        end = publishedHead.end
        hasEpoch = publishedHead.end.microseconds > 0
        self.epochBegin = epochBegin ?? (hasEpoch ? publishedHead.end : Instant(microseconds: .min))
    }

    /// Opens a rendition's lane.
    mutating func open(_ lane: Lane) {
        if lanes[lane.rendition] == nil { lanes[lane.rendition] = lane }
    }

    /// A rendition is not recorded any more: what is stored of it goes to the archive, the rest is given up.
    mutating func close(_ rendition: RenditionID) {
        for slot in lanes.removeValue(forKey: rendition)?.slots ?? [] {
            if case .stored(let fact) = slot.progress { late.append(fact) }
        }
        request?.asked.remove(rendition)
        if request?.asked.isEmpty ?? false { request = nil }
    }

    /// The source's target duration was seen.
    mutating func sourceTarget(_ seconds: Int) {
        sourceSeconds = max(sourceSeconds, seconds)
        if !hasEpoch { targetSeconds = max(targetSeconds, sourceSeconds) }
    }

    /// Segments were listed, in order, with decided times.
    mutating func listed(_ slots: [Lane.Slot], of rendition: RenditionID, now: ContinuousClock.Instant) {
        if !slots.isEmpty { lanes[rendition]?.listed(slots, now: now) }
    }

    /// Segments that wait in the lanes, stored or not.
    var slotCount: Int { lanes.values.reduce(0) { $0 + $1.slots.count } }

    /// Whether a segment waits in its lane.
    func expects(_ identity: SegmentIdentity) -> Bool {
        lanes[identity.rendition]?.slots.contains { $0.identity == identity } ?? false
    }

    /// A segment's bytes are durable.
    mutating func stored(_ fact: SegmentFact, now: ContinuousClock.Instant) {
        if !(lanes[fact.identity.rendition]?.stored(fact, now: now) ?? false) { late.append(fact) }
    }

    /// A segment may be long in coming: the reason is told when its turn has passed.
    mutating func waits(_ identity: SegmentIdentity, for reason: GapReason) {
        lanes[identity.rendition]?.waits(identity, for: reason)
    }

    /// A segment will not come.
    mutating func lost(_ segment: LostSegment, reason: GapReason, note: String) {
        guard expects(segment.identity) else { return lateLost.append(segment) }
        lanes[segment.identity.rendition]?.lost(segment.identity, reason: reason, note: note)
    }

    /// Takes what is listed last, and neither stored nor lost, off the lanes again.
    mutating func detachExpected() -> [Lane.Slot] {
        lanes.keys.flatMap { lanes[$0]?.detachExpected() ?? [] }
    }

    /// Lets every rendition move as far as it can, until so many facts are decided; the rest moves with the next call.
    mutating func advance(now: ContinuousClock.Instant, limit: Int = Limits.factsPerBatch) -> Decisions {
        var decisions = Decisions()
        takeLate(limit, &decisions)
        repeat {
            while decisions.count < limit, moveLanes(now: now, &decisions) {}
        } while decisions.count < limit && settleRequest(now: now, &decisions)
        moveWatermark(now: now)
        return decisions
    }

    /// The target duration that patience is measured with.
    var target: Duration { .seconds(max(targetSeconds, sourceSeconds, 1)) }

    private mutating func takeLate(_ limit: Int, _ decisions: inout Decisions) {
        decisions.segments = late.prefix(limit).map { fact in
            var fact = fact
            fact.flags.insert(.late)
            return DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil)
        }
        late.removeFirst(decisions.segments.count)
        decisions.lost = Array(lateLost.prefix(limit))
        lateLost.removeFirst(decisions.lost.count)
    }

    /// A lane that waits for facts on their way back from the journal holds the watermark by what is still to come.
    private mutating func moveWatermark(now: ContinuousClock.Instant) {
        let holding = lanes.values.filter { !$0.isSilent(now: now, target: target) }
        let settled = holding.map { $0.slots.first?.start ?? $0.settledEnd ?? watermark }
        guard let reached = settled.min() else { return }
        watermark = max(watermark, min(reached, returning ?? reached))
    }
}
