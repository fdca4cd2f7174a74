import Catalogue
import Timeline

/// How the renditions move, one segment at a time.
extension Publisher {
    /// What is to be done with the next segment of a lane.
    private enum Step {
        case wait
        case publish(SegmentFact)
        case archive(SegmentFact)
        case giveUp(GapReason, note: String, isLost: Bool)
        case ask(cause: String, at: Instant)
    }

    /// Moves the lane that is furthest behind, of those that can move, so that none runs ahead of what is at hand.
    mutating func moveLanes(now: ContinuousClock.Instant, _ decisions: inout Decisions) -> Bool {
        let waiting = lanes.values.compactMap { lane in lane.slots.first.map { ($0.start, lane.rendition) } }
            .sorted { $0 < $1 }.map(\.1)
        for rendition in waiting {
            guard case .ask(let cause, let start) = step(of: rendition, now: now) else { continue }
            ask(rendition, at: start, cause: cause, now: now)
        }
        for lane in lanes.values {
            guard let (cause, place) = lane.owedBoundary(in: discontinuitySequence) else { continue }
            ask(lane.rendition, at: place, cause: cause, now: now)
        }
        return waiting.contains { moveFirst(of: $0, now: now, &decisions) }
    }

    /// Settles the next slot of a lane, if it can be.
    private mutating func moveFirst(
        of rendition: RenditionID, now: ContinuousClock.Instant, _ decisions: inout Decisions,
    ) -> Bool {
        guard let slot = lanes[rendition]?.slots.first else { return false }
        switch step(of: rendition, now: now) {
        case .wait, .ask:
            return false
        case .giveUp(let reason, let note, let isLost):
            giveUp(slot, reason: reason, note: note, isLost: isLost, now: now, &decisions)
        case .archive(let fact):
            decisions.segments.append(DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil))
            lanes[rendition]?.settle(now: now)
        case .publish(let fact):
            publish(fact, of: rendition, now: now, &decisions)
        }
        return true
    }

    private func step(of rendition: RenditionID, now: ContinuousClock.Instant) -> Step {
        guard let lane = lanes[rendition], let slot = lane.slots.first else { return .wait }
        switch slot.progress {
        case .expected:
            return slot.end <= watermark || lane.isOverdue(now: now, target: target)
                ? .giveUp(slot.waitsFor ?? .segmentMissing, note: "not stored in time", isLost: false) : .wait
        case .lost(let reason, let note):
            return .giveUp(reason, note: note, isLost: true)
        case .stored(let fact):
            return step(of: lane, slot, fact, now: now)
        }
    }

    private func step(
        of lane: Lane, _ slot: Lane.Slot, _ fact: SegmentFact, now: ContinuousClock.Instant,
    ) -> Step {
        if isPassed(slot, of: lane) { return .archive(fact) }
        if runsAhead(slot, now: now) { return .wait }
        if let cause = boundary(before: slot, fact, lane) { return .ask(cause: cause, at: slot.start) }
        if let request, slot.middle > request.at { return .wait }
        return .publish(fact)
    }

    /// Whether the published log has gone past a segment: it would run back, change what was said to be complete, or
    /// enter an epoch that begins after it.
    ///
    /// Readers of the log decide by what begins before the watermark, so that it is passed by a part of a segment too.
    private func isPassed(_ slot: Lane.Slot, of lane: Lane) -> Bool {
        if let publishedEnd = lane.publishedEnd, slot.start < publishedEnd { return true }
        return slot.start < watermark
            || lane.discontinuitySequence != discontinuitySequence && slot.middle < epochBegin
    }

    /// Whether another rendition still waits for a segment before this one, which is waited for as long as two target
    /// durations.
    ///
    /// If that one does not come, a boundary is asked for behind it, and an epoch cannot begin before what is published:
    /// what the others had published meanwhile would be lost for the waiting one. It costs viewers nothing, because
    /// the watermark waits too.
    private func runsAhead(_ slot: Lane.Slot, now: ContinuousClock.Instant) -> Bool {
        if let storedAt = slot.storedAt, now - storedAt > target * 2 { return false }
        return lanes.values.contains { lane in
            guard let next = lane.slots.first, next.isExpected, next.end < slot.middle else { return false }
            return !lane.isSilent(now: now, target: target)
        }
    }

    /// A lane that has published nothing in the epoch yet has its boundary already.
    private func boundary(before slot: Lane.Slot, _ fact: SegmentFact, _ lane: Lane) -> String? {
        if lane.discontinuitySequence == discontinuitySequence, let cause = lane.boundary(before: slot, fact)
        {
            return cause
        }
        return hasEpoch && Self.roundedSeconds(fact.duration) > targetSeconds ? "target duration" : nil
    }

    private mutating func giveUp(
        _ slot: Lane.Slot, reason: GapReason, note: String, isLost: Bool, now: ContinuousClock.Instant,
        _ decisions: inout Decisions,
    ) {
        decisions.losses.append(
            Loss(
                window: TimeWindow(begin: slot.start, end: slot.end), reason: reason,
                rendition: slot.identity.rendition, note: note))
        if isLost {
            decisions.lost.append(
                LostSegment(identity: slot.identity, start: slot.start, duration: slot.duration))
        }
        lanes[slot.identity.rendition]?.giveUp(now: now)
    }

    private mutating func publish(
        _ fact: SegmentFact, of rendition: RenditionID, now: ContinuousClock.Instant,
        _ decisions: inout Decisions,
    ) {
        beginFirstEpoch(&decisions)
        decisions.segments.append(
            DecidedSegment(
                fact: fact, number: lanes[rendition]?.nextNumber, discontinuitySequence: discontinuitySequence
            ))
        lanes[rendition]?.publish(fact, in: discontinuitySequence, now: now)
        end = max(end, fact.end)
    }
}
