import Catalogue
import Timeline

/// Decides what enters the published log, in what order, under which number and epoch.
///
/// Pure: events go in with the time they happened, decisions come out of `advance`. What was decided is never
/// taken back.
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
    private struct Request: Sendable {
        var at: Instant
        var cause: String
        var asked: Set<RenditionID>
        var since: Instant
    }

    private(set) var lanes: [RenditionID: Lane] = [:]
    private(set) var epoch: Int32
    private(set) var epochBegin: Instant
    /// EXT-X-TARGETDURATION of growing lists, seconds; only ever rises.
    private(set) var targetSeconds: Int
    /// Everything before is published or given up in every rendition that holds the others.
    private(set) var watermark: Instant
    private var hasEpoch: Bool
    private var request: Request?
    /// Facts of segments that were given up before they came: they go to the archive only.
    private var late: [SegmentFact] = []

    /// Begins a channel, or goes on where its line stands.
    init(line: Line, epochBegin: Instant? = nil) {
        epoch = line.epoch
        targetSeconds = line.targetSeconds
        watermark = line.watermark
        self.epochBegin = epochBegin ?? Instant(microseconds: .min)
        hasEpoch = line.end.microseconds > 0
    }

    /// End of the last published segment of any rendition.
    var end: Instant {
        lanes.values.compactMap(\.publishedEnd).max() ?? Instant(microseconds: 0)
    }

    /// Opens a rendition's lane.
    mutating func open(_ lane: Lane) {
        if lanes[lane.rendition] == nil { lanes[lane.rendition] = lane }
    }

    /// A rendition is not recorded any more; what is listed of it is given up.
    mutating func close(_ rendition: RenditionID) {
        lanes[rendition] = nil
    }

    /// The source's target duration was seen.
    mutating func sourceTarget(_ seconds: Int) {
        targetSeconds = max(targetSeconds, seconds)
    }

    /// Segments were listed, in order, with decided times.
    mutating func listed(_ slots: [Lane.Slot], of rendition: RenditionID, now: Instant) {
        guard let first = slots.first, lanes[rendition] != nil else { return }
        if lanes[rendition]?.slots.isEmpty ?? false { lanes[rendition]?.turnBegan = now }
        lanes[rendition]?.slots += slots
        lanes[rendition]?.lastProgress = now
        if !hasEpoch, lanes.count == 1 { watermark = max(watermark, first.start) }
    }

    /// A segment's bytes are durable.
    mutating func stored(_ fact: SegmentFact) {
        let rendition = fact.identity.rendition
        guard let index = lanes[rendition]?.slots.firstIndex(where: { $0.identity == fact.identity }) else {
            late.append(fact)
            return
        }
        lanes[rendition]?.slots[index].progress = .stored(fact)
    }

    /// A segment will not come.
    mutating func lost(_ identity: SegmentIdentity, reason: GapReason, note: String) {
        guard let index = lanes[identity.rendition]?.slots.firstIndex(where: { $0.identity == identity })
        else {
            return
        }
        lanes[identity.rendition]?.slots[index].progress = .lost(reason, note: note)
    }

    /// Lets every rendition move as far as it can.
    mutating func advance(now: Instant) -> Decisions {
        var decisions = Decisions()
        decisions.segments = late.map { fact in
            var fact = fact
            fact.flags.insert(.late)
            return DecidedSegment(fact: fact, number: nil, epoch: nil)
        }
        late.removeAll()
        repeat {
            while moveLanes(now: now, &decisions) {}
        } while settleRequest(now: now, &decisions)
        moveWatermark(now: now)
        return decisions
    }

    private var target: Int64 { Int64(max(targetSeconds, 1)) * 1_000_000 }

    // MARK: Moving lanes

    private mutating func moveLanes(now: Instant, _ decisions: inout Decisions) -> Bool {
        var moved = false
        for rendition in lanes.keys.sorted() {
            while moveFirst(of: rendition, now: now, &decisions) { moved = true }
        }
        return moved
    }

    /// Settles the next slot of a lane, if it can be.
    private mutating func moveFirst(
        of rendition: RenditionID, now: Instant, _ decisions: inout Decisions,
    ) -> Bool {
        guard let lane = lanes[rendition], let slot = lane.slots.first else { return false }
        switch slot.progress {
        case .expected:
            guard now - lane.turnBegan > target else { return false }
            giveUp(slot, reason: .segmentMissing, note: "not stored in time", now: now, &decisions)
            return true
        case .lost(let reason, let note):
            giveUp(slot, reason: reason, note: note, now: now, &decisions)
            decisions.lost.append(
                LostSegment(identity: slot.identity, start: slot.start, duration: slot.duration))
            return true
        case .stored(let fact):
            return publish(fact, from: slot, lane, now: now, &decisions)
        }
    }

    private mutating func giveUp(
        _ slot: Lane.Slot, reason: GapReason, note: String, now: Instant, _ decisions: inout Decisions,
    ) {
        let rendition = slot.identity.rendition
        decisions.losses.append(
            Loss(
                window: TimeWindow(begin: slot.start, end: slot.end), reason: reason, rendition: rendition,
                note: note))
        lanes[rendition]?.settle(now: now)
        lanes[rendition]?.pendingBoundary = "hole"
    }

    private mutating func publish(
        _ fact: SegmentFact, from slot: Lane.Slot, _ lane: Lane, now: Instant, _ decisions: inout Decisions,
    ) -> Bool {
        if slot.middle < epochBegin {
            decisions.segments.append(DecidedSegment(fact: fact, number: nil, epoch: nil))
            lanes[lane.rendition]?.settle(now: now)
            return true
        }
        if let cause = boundary(before: slot, fact, lane), lane.epoch == epoch {
            ask(lane.rendition, at: slot.start, cause: cause, now: now)
            return false
        }
        if let request, slot.middle > request.at { return false }
        beginFirstEpoch(at: slot.start, &decisions)
        decisions.segments.append(DecidedSegment(fact: fact, number: lane.nextNumber, epoch: epoch))
        lanes[lane.rendition]?.published(fact, in: epoch, now: now)
        return true
    }

    private func boundary(before slot: Lane.Slot, _ fact: SegmentFact, _ lane: Lane) -> String? {
        if let cause = lane.boundary(before: slot, fact) { return cause }
        return Self.roundedSeconds(fact.duration) > targetSeconds ? "target duration" : nil
    }

    /// Segments count rounded to the nearest second (RFC 8216bis §4.4.3.1).
    static func roundedSeconds(_ microseconds: Int64) -> Int {
        Int((microseconds + 500_000) / 1_000_000)
    }

    private mutating func beginFirstEpoch(at start: Instant, _ decisions: inout Decisions) {
        guard !hasEpoch else { return }
        hasEpoch = true
        raiseTarget()
        decisions.epochs.append(
            EpochFact(epoch: epoch, begin: start, cause: "begin", targetSeconds: targetSeconds))
    }

    // MARK: Boundaries

    private mutating func ask(_ rendition: RenditionID, at instant: Instant, cause: String, now: Instant) {
        if request == nil { request = Request(at: instant, cause: cause, asked: [], since: now) }
        request?.asked.insert(rendition)
    }

    /// Begins the next epoch when every rendition has come to the boundary or has been waited for long enough.
    private mutating func settleRequest(now: Instant, _ decisions: inout Decisions) -> Bool {
        guard let request else { return false }
        let isDue = now - request.since > 3 * target
        guard isDue || lanes.values.allSatisfy({ hasReached($0, request, now: now) }) else { return false }
        self.request = nil
        raiseTarget()
        epoch += 1
        epochBegin = max(end, epochBegin)
        decisions.epochs.append(
            EpochFact(epoch: epoch, begin: epochBegin, cause: request.cause, targetSeconds: targetSeconds))
        return true
    }

    private func hasReached(_ lane: Lane, _ request: Request, now: Instant) -> Bool {
        if request.asked.contains(lane.rendition) || isSilent(lane, now: now) { return true }
        if let slot = lane.slots.first { return slot.middle > request.at }
        guard let end = lane.publishedEnd else { return true }
        return end + 1000 >= request.at
    }

    /// The first segments of the new epoch may need a longer target duration than the old one said.
    private mutating func raiseTarget() {
        for lane in lanes.values {
            guard case .stored(let fact)? = lane.slots.first?.progress else { continue }
            targetSeconds = max(targetSeconds, Self.roundedSeconds(fact.duration))
        }
    }

    // MARK: Watermark

    /// A rendition that has had nothing for three target durations does not hold the others.
    private func isSilent(_ lane: Lane, now: Instant) -> Bool {
        lane.slots.isEmpty && now - lane.lastProgress > 3 * target
    }

    private mutating func moveWatermark(now: Instant) {
        let holding = lanes.values.filter { !isSilent($0, now: now) }
        guard let settled = holding.map({ $0.settledEnd ?? $0.slots.first?.start ?? watermark }).min() else {
            return
        }
        watermark = max(watermark, settled)
    }
}

extension Lane {
    /// The first slot was published.
    fileprivate mutating func published(_ fact: SegmentFact, in epoch: Int32, now: Instant) {
        nextNumber += 1
        publishedEnd = fact.end
        self.epoch = epoch
        state = fact.state
        pendingBoundary = nil
        settle(now: now)
    }
}
