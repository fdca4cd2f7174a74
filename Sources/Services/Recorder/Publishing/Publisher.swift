import Catalogue
import Timeline

/// Decides what enters the published log, in what order, under which number and epoch.
///
/// Pure: events go in with the time they happened, decisions come out of `advance`. What was decided is never taken
/// back.
struct Publisher: Sendable {
    /// What one call of `advance` decided.
    struct Decisions: Sendable {
        var segments: [DecidedSegment] = []
        var epochs: [EpochFact] = []
        var losses: [Loss] = []
        var lost: [LostSegment] = []

        var isEmpty: Bool { segments.isEmpty && epochs.isEmpty && losses.isEmpty && lost.isEmpty }
    }

    /// A wish for a boundary that waits until all renditions have come to it.
    struct Request: Sendable {
        var at: Instant
        var cause: String
        var asked: Set<RenditionID>
        var since: Instant
    }

    var lanes: [RenditionID: Lane] = [:]
    var epoch: Int32
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
    /// Facts of segments that were given up before they came: they go to the archive only.
    private var late: [SegmentFact] = []
    /// The latest time that an event or a call of `advance` has told.
    private var latest = Instant(microseconds: .min)

    /// Begins a channel, or goes on where its line stands.
    ///
    /// Without the begin of the line's epoch, its end is taken for renditions that have not entered that epoch yet:
    /// later, never too early.
    init(line: Line, epochBegin: Instant? = nil) {
        epoch = line.epoch
        targetSeconds = line.targetSeconds
        sourceSeconds = line.targetSeconds
        watermark = line.watermark
        end = line.end
        hasEpoch = line.end.microseconds > 0
        self.epochBegin = epochBegin ?? (hasEpoch ? line.end : Instant(microseconds: .min))
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
    mutating func listed(_ slots: [Lane.Slot], of rendition: RenditionID, now: Instant) {
        latest = max(latest, now)
        if !slots.isEmpty { lanes[rendition]?.listed(slots, now: now) }
    }

    /// A segment's bytes are durable.
    mutating func stored(_ fact: SegmentFact) {
        if !(lanes[fact.identity.rendition]?.stored(fact, now: latest) ?? false) { late.append(fact) }
    }

    /// A segment may be long in coming: the reason is told when its turn has passed.
    mutating func waits(_ identity: SegmentIdentity, for reason: GapReason) {
        lanes[identity.rendition]?.waits(identity, for: reason)
    }

    /// A segment will not come.
    mutating func lost(_ identity: SegmentIdentity, reason: GapReason, note: String) {
        lanes[identity.rendition]?.lost(identity, reason: reason, note: note)
    }

    /// Lets every rendition move as far as it can.
    mutating func advance(now: Instant) -> Decisions {
        latest = max(latest, now)
        var decisions = Decisions()
        decisions.segments = takeLate()
        repeat {
            while moveLanes(now: now, &decisions) {}
        } while settleRequest(now: now, &decisions)
        moveWatermark(now: now)
        return decisions
    }

    /// The target duration that patience is measured with, microseconds.
    var target: Int64 { Int64(max(targetSeconds, sourceSeconds, 1)) * 1_000_000 }

    private mutating func takeLate() -> [DecidedSegment] {
        defer { late.removeAll() }
        return late.map { fact in
            var fact = fact
            fact.flags.insert(.late)
            return DecidedSegment(fact: fact, number: nil, epoch: nil)
        }
    }

    private mutating func moveWatermark(now: Instant) {
        let holding = lanes.values.filter { !$0.isSilent(now: now, target: target) }
        let settled = holding.map { $0.slots.first?.start ?? $0.settledEnd ?? watermark }
        watermark = max(watermark, settled.min() ?? watermark)
    }
}
