import Catalogue
import Concurrency
import Timeline

/// How the renditions move, one segment at a time.
extension Publisher {
    /// What is to be done with the next segment of a queue.
    private enum Step {
        case wait
        case publish(SegmentFact)
        case archive(SegmentFact)
        case giveUp(GapReason, note: String, isLost: Bool)
        case ask(cause: String, at: Instant)
    }

    /// Moves the queue that is furthest behind, of those that can move, so that none runs ahead of what is at
    /// hand.
    mutating func moveQueues(now: SteadyInstant, _ decisions: inout Decisions) -> Bool {
        let waiting = queues.values.compactMap { queue in
            queue.segments.first.map { ($0.start, queue.rendition) }
        }
        .sorted { $0 < $1 }.map(\.1)
        for rendition in waiting {
            guard case .ask(let cause, let start) = step(of: rendition, now: now) else { continue }
            ask(rendition, at: start, cause: cause, now: now)
        }
        for queue in queues.values {
            guard let (cause, place) = queue.owedBoundary(in: discontinuitySequence) else { continue }
            ask(queue.rendition, at: place, cause: cause, now: now)
        }
        return waiting.contains { moveFirst(of: $0, now: now, &decisions) }
    }

    /// Settles the next segment of a queue, if it can be.
    private mutating func moveFirst(
        of rendition: RenditionID, now: SteadyInstant, _ decisions: inout Decisions,
    ) -> Bool {
        guard let segment = queues[rendition]?.segments.first else { return false }
        switch step(of: rendition, now: now) {
        case .wait, .ask:
            return false
        case .giveUp(let reason, let note, let isLost):
            giveUp(segment, reason: reason, note: note, isLost: isLost, now: now, &decisions)
        case .archive(let fact):
            decisions.segments.append(DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil))
            queues[rendition]?.settle(now: now)
        case .publish(let fact):
            publish(fact, of: rendition, now: now, &decisions)
        }
        return true
    }

    private func step(of rendition: RenditionID, now: SteadyInstant) -> Step {
        guard let queue = queues[rendition], let segment = queue.segments.first else { return .wait }
        switch segment.progress {
        case .expected:
            return segment.isPostponed || segment.end <= watermark
                || queue.isOverdue(now: now, target: target)
                ? .giveUp(segment.waitsFor ?? .segmentMissing, note: "not stored in time", isLost: false)
                : .wait
        case .lost(let reason, let note):
            return .giveUp(reason, note: note, isLost: true)
        case .stored(let fact):
            return step(of: queue, segment, fact, now: now)
        }
    }

    private func step(
        of queue: RenditionQueue, _ segment: PendingSegment, _ fact: SegmentFact, now: SteadyInstant,
    ) -> Step {
        if isPassed(segment, of: queue) { return .archive(fact) }
        // Not longer than for a segment of which nothing came.
        if segment.awaitsBetter, let storedAt = segment.storedAt, now - storedAt <= target { return .wait }
        if runsAhead(segment, now: now) { return .wait }
        if let cause = boundary(before: segment, fact, queue) { return .ask(cause: cause, at: segment.start) }
        if let request, segment.middle > request.at { return .wait }
        return .publish(fact)
    }

    /// Whether the published log has gone past a segment: it would run back, change what was said to be
    /// complete, or enter a discontinuity sequence that begins after it.
    ///
    /// Readers of the log decide by what begins before the watermark, so that it is passed by a part of a
    /// segment too.
    private func isPassed(_ segment: PendingSegment, of queue: RenditionQueue) -> Bool {
        if let publishedEnd = queue.publishedEnd, segment.start < publishedEnd { return true }
        return segment.start < watermark
            || queue.discontinuitySequence != discontinuitySequence && segment.middle < discontinuityBegin
    }

    /// Whether another rendition still waits for a segment before this one, which is waited for as long as
    /// two target durations.
    ///
    /// If that one does not come, a boundary is asked for behind it, and a discontinuity sequence cannot
    /// begin before what is published: what the others had published meanwhile would be lost for the waiting
    /// one. It costs viewers nothing, because the watermark waits too.
    private func runsAhead(_ segment: PendingSegment, now: SteadyInstant) -> Bool {
        if let storedAt = segment.storedAt, now - storedAt > target * 2 { return false }
        return queues.values.contains { queue in
            guard let next = queue.segments.first, next.isExpected, next.end < segment.middle else {
                return false
            }
            return !queue.isSilent(now: now, target: target)
        }
    }

    /// A queue that has published nothing in the discontinuity sequence yet has its boundary already.
    private func boundary(before segment: PendingSegment, _ fact: SegmentFact, _ queue: RenditionQueue)
        -> String?
    {
        if queue.discontinuitySequence == discontinuitySequence,
            let cause = queue.boundary(before: segment, fact)
        {
            return cause
        }
        return hasBegun && Self.roundedSeconds(fact.mediaDuration) > targetSeconds ? "target duration" : nil
    }

    private mutating func giveUp(
        _ segment: PendingSegment, reason: GapReason, note: String, isLost: Bool,
        now: SteadyInstant,
        _ decisions: inout Decisions,
    ) {
        decisions.losses.append(
            Loss(
                window: TimeWindow(begin: segment.start, end: segment.end), reason: reason,
                rendition: segment.identity.rendition, note: note))
        if isLost { decisions.lost.append(segment.placed) } else { decisions.listed.append(segment.placed) }
        queues[segment.identity.rendition]?.giveUp(now: now)
    }

    private mutating func publish(
        _ fact: SegmentFact, of rendition: RenditionID, now: SteadyInstant,
        _ decisions: inout Decisions,
    ) {
        beginFirst(&decisions)
        decisions.segments.append(
            DecidedSegment(
                fact: fact, number: queues[rendition]?.nextNumber,
                discontinuitySequence: discontinuitySequence
            ))
        queues[rendition]?.publish(fact, in: discontinuitySequence, now: now)
        end = max(end, fact.end)
    }
}
