import Catalogue
import Concurrency
import Timeline

/// How the renditions move, one segment at a time.
extension Publisher {
    /// What is to be done with the next segment of a queue.
    private enum Step {
        case wait
        case publish
        case archive
        case giveUp(GapReason, note: String, isLost: Bool)
        case ask(cause: DiscontinuityCause, at: Instant)
    }

    /// Advances the queue with the earliest next segment, of those that can advance, so that no rendition
    /// gets ahead of the others.
    mutating func moveQueues(now: SteadyInstant, _ decisions: inout Decisions) -> Bool {
        var waiting: [(Instant, Int)] = []
        for index in queues.values.indices {
            if let start = queues.values[index].next { waiting.append((start, index)) }
        }
        // Indices are in the order of the renditions.
        if waiting.count > 1 { waiting.sort { $0 < $1 } }
        for (_, index) in waiting {
            guard case .ask(let cause, let start) = step(of: index, now: now) else { continue }
            ask(queues.keys[index], at: start, cause: cause, now: now)
        }
        for index in queues.values.indices {
            guard let (cause, start) = queues.values[index].boundaryAfterGivenUp(in: discontinuitySequence)
            else {
                continue
            }
            ask(queues.keys[index], at: start, cause: cause, now: now)
        }
        return waiting.contains { moveFirst(of: $0.1, now: now, &decisions) }
    }

    /// Settles the next segment of a queue, if it can be.
    private mutating func moveFirst(
        of index: Int, now: SteadyInstant, _ decisions: inout Decisions,
    ) -> Bool {
        switch step(of: index, now: now) {
        case .wait, .ask:
            return false
        case .giveUp(let reason, let note, let isLost):
            let segment = queues.values[index].segments[0].placed
            giveUp(segment, reason: reason, note: note, isLost: isLost, &decisions)
            queues.values[index].giveUp(now: now)
        case .archive:
            guard let fact = queues.values[index].segments[0].fact else { return false }
            decisions.segments.append(DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil))
            queues.values[index].settle(now: now)
        case .publish:
            guard let fact = queues.values[index].segments[0].fact else { return false }
            publish(fact, of: index, now: now, &decisions)
        }
        return true
    }

    /// Called for each event, so queues and segments are read without a copy.
    private func step(of index: Int, now: SteadyInstant) -> Step {
        if queues.values[index].segments.isEmpty { return .wait }
        if queues.values[index].segments[0].storedAt != nil { return stepOfStored(index, now: now) }
        if case .lost(let reason, let note) = queues.values[index].segments[0].progress {
            return .giveUp(reason, note: note, isLost: true)
        }
        return queues.values[index].segments[0].isPostponed
            || queues.values[index].segments[0].end <= watermark
            || queues.values[index].isOverdue(now: now, target: target)
            ? .giveUp(
                queues.values[index].segments[0].waitsFor ?? .segmentMissing, note: "not stored in time",
                isLost: false)
            : .wait
    }

    private func stepOfStored(_ index: Int, now: SteadyInstant) -> Step {
        let (start, middle) = (
            queues.values[index].segments[0].start, queues.values[index].segments[0].middle
        )
        let storedAt = queues.values[index].segments[0].storedAt ?? now
        if isPassed(from: start, middle: middle, of: index) { return .archive }
        // Not longer than for a segment of which nothing came.
        if queues.values[index].segments[0].awaitsBetter, now - storedAt <= target { return .wait }
        if runsAhead(middle, since: storedAt, now: now) { return .wait }
        if let cause = boundary(before: index) { return .ask(cause: cause, at: start) }
        if let request, middle > request.at { return .wait }
        return .publish
    }

    /// Whether a segment is too late for the published log.
    ///
    /// It begins before the published end of its rendition or before the watermark, or it lies before the
    /// current discontinuity sequence, which its rendition has not entered. For readers, all that begins
    /// before the watermark is complete, so a segment that only overlaps the watermark is too late as well.
    private func isPassed(from start: Instant, middle: Instant, of index: Int) -> Bool {
        if let publishedEnd = queues.values[index].publishedEnd, start < publishedEnd { return true }
        return start < watermark
            || queues.values[index].discontinuitySequence != discontinuitySequence
                && middle < discontinuityStart
    }

    /// Whether another rendition still waits for an earlier segment; false after two target durations.
    ///
    /// If the earlier segment does not come, its rendition needs a boundary, and that cannot be before the
    /// published end. Whatever the others had published meanwhile would be missing in the waiting rendition.
    /// The wait costs viewers nothing, because the watermark waits too.
    private func runsAhead(_ middle: Instant, since storedAt: SteadyInstant, now: SteadyInstant) -> Bool {
        if now - storedAt > target + target { return false }
        return queues.values.indices.contains { index in
            guard let next = queues.values[index].segments.first?.expectedEnd, next < middle else {
                return false
            }
            return !queues.values[index].isSilent(now: now, target: target)
        }
    }

    /// The cause of a boundary needed before the next segment; nil if none is.
    ///
    /// A queue without a segment in this discontinuity sequence needs one only for the target duration.
    private func boundary(before index: Int) -> DiscontinuityCause? {
        if queues.values[index].discontinuitySequence == discontinuitySequence,
            let cause = queues.values[index].boundaryBeforeFirst
        {
            return cause
        }
        let duration = queues.values[index].segments[0].mediaDuration
        return hasBegun && Self.roundedSeconds(duration) > targetSeconds ? .targetDuration : nil
    }

    private mutating func giveUp(
        _ segment: PlacedSegment, reason: GapReason, note: String, isLost: Bool,
        _ decisions: inout Decisions,
    ) {
        let loss = Loss(
            window: segment.window, reason: reason, rendition: segment.identity.rendition, note: note)
        decisions.losses.append(loss)
        guard !isLost else { return decisions.lost.append(segment) }
        decisions.listed.append(segment)
        decisions.overdue.append(loss)
    }

    private mutating func publish(
        _ fact: SegmentFact, of index: Int, now: SteadyInstant,
        _ decisions: inout Decisions,
    ) {
        beginFirst(&decisions)
        decisions.segments.append(
            DecidedSegment(
                fact: fact, number: queues.values[index].nextNumber,
                discontinuitySequence: discontinuitySequence
            ))
        queues.values[index].publish(fact, in: discontinuitySequence, now: now)
        end = max(end, fact.end)
    }
}
