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
        case ask(cause: String, at: Instant)
    }

    /// Moves the queue that is furthest behind, of those that can move, so that none runs ahead of what is at
    /// hand.
    mutating func moveQueues(now: SteadyInstant, _ decisions: inout Decisions) -> Bool {
        var waiting: [(Instant, Int)] = []
        for place in queues.values.indices {
            if let start = queues.values[place].next { waiting.append((start, place)) }
        }
        // Places are in the order of the renditions.
        if waiting.count > 1 { waiting.sort { $0 < $1 } }
        for (_, place) in waiting {
            guard case .ask(let cause, let start) = step(of: place, now: now) else { continue }
            ask(queues.keys[place], at: start, cause: cause, now: now)
        }
        for place in queues.values.indices {
            guard let (cause, start) = queues.values[place].owedBoundary(in: discontinuitySequence) else {
                continue
            }
            ask(queues.keys[place], at: start, cause: cause, now: now)
        }
        return waiting.contains { moveFirst(of: $0.1, now: now, &decisions) }
    }

    /// Settles the next segment of a queue, if it can be.
    private mutating func moveFirst(
        of place: Int, now: SteadyInstant, _ decisions: inout Decisions,
    ) -> Bool {
        switch step(of: place, now: now) {
        case .wait, .ask:
            return false
        case .giveUp(let reason, let note, let isLost):
            let segment = queues.values[place].segments[0].placed
            giveUp(segment, reason: reason, note: note, isLost: isLost, &decisions)
            queues.values[place].giveUp(now: now)
        case .archive:
            guard let fact = queues.values[place].segments[0].fact else { return false }
            decisions.segments.append(DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil))
            queues.values[place].settle(now: now)
        case .publish:
            guard let fact = queues.values[place].segments[0].fact else { return false }
            publish(fact, of: place, now: now, &decisions)
        }
        return true
    }

    /// Each event asks for it: queues and segments are looked at where they lie.
    private func step(of place: Int, now: SteadyInstant) -> Step {
        if queues.values[place].segments.isEmpty { return .wait }
        if queues.values[place].segments[0].storedAt != nil { return stepOfStored(place, now: now) }
        if case .lost(let reason, let note) = queues.values[place].segments[0].progress {
            return .giveUp(reason, note: note, isLost: true)
        }
        return queues.values[place].segments[0].isPostponed
            || queues.values[place].segments[0].end <= watermark
            || queues.values[place].isOverdue(now: now, target: target)
            ? .giveUp(
                queues.values[place].segments[0].waitsFor ?? .segmentMissing, note: "not stored in time",
                isLost: false)
            : .wait
    }

    private func stepOfStored(_ place: Int, now: SteadyInstant) -> Step {
        let (start, middle) = (
            queues.values[place].segments[0].start, queues.values[place].segments[0].middle
        )
        let storedAt = queues.values[place].segments[0].storedAt ?? now
        if isPassed(from: start, middle: middle, of: place) { return .archive }
        // Not longer than for a segment of which nothing came.
        if queues.values[place].segments[0].awaitsBetter, now - storedAt <= target { return .wait }
        if runsAhead(middle, since: storedAt, now: now) { return .wait }
        if let cause = boundary(before: place) { return .ask(cause: cause, at: start) }
        if let request, middle > request.at { return .wait }
        return .publish
    }

    /// Whether a segment is too late for the published log.
    ///
    /// It begins before the published end of its rendition or before the watermark, or it lies before the
    /// current discontinuity sequence, which its rendition has not entered. For readers, all that begins
    /// before the watermark is complete, so a segment that only overlaps the watermark is too late as well.
    private func isPassed(from start: Instant, middle: Instant, of place: Int) -> Bool {
        if let publishedEnd = queues.values[place].publishedEnd, start < publishedEnd { return true }
        return start < watermark
            || queues.values[place].discontinuitySequence != discontinuitySequence
                && middle < discontinuityBegin
    }

    /// Whether another rendition still waits for an earlier segment; false after two target durations.
    ///
    /// If the earlier segment does not come, its rendition needs a boundary, and that cannot be before the
    /// published end. Whatever the others had published meanwhile would be missing in the waiting rendition.
    /// The wait costs viewers nothing, because the watermark waits too.
    private func runsAhead(_ middle: Instant, since storedAt: SteadyInstant, now: SteadyInstant) -> Bool {
        if now - storedAt > target + target { return false }
        return queues.values.indices.contains { place in
            guard let next = queues.values[place].segments.first?.expectedEnd, next < middle else {
                return false
            }
            return !queues.values[place].isSilent(now: now, target: target)
        }
    }

    /// The cause of a boundary needed before the next segment; nil if none is.
    ///
    /// A queue without a segment in this discontinuity sequence needs one only for the target duration.
    private func boundary(before place: Int) -> String? {
        if queues.values[place].discontinuitySequence == discontinuitySequence,
            let cause = queues.values[place].boundaryBeforeFirst
        {
            return cause
        }
        let duration = queues.values[place].segments[0].mediaDuration
        return hasBegun && Self.roundedSeconds(duration) > targetSeconds ? "target duration" : nil
    }

    private mutating func giveUp(
        _ segment: PlacedSegment, reason: GapReason, note: String, isLost: Bool,
        _ decisions: inout Decisions,
    ) {
        decisions.losses.append(
            Loss(
                window: segment.window, reason: reason, rendition: segment.identity.rendition, note: note))
        if isLost { decisions.lost.append(segment) } else { decisions.listed.append(segment) }
    }

    private mutating func publish(
        _ fact: SegmentFact, of place: Int, now: SteadyInstant,
        _ decisions: inout Decisions,
    ) {
        beginFirst(&decisions)
        decisions.segments.append(
            DecidedSegment(
                fact: fact, number: queues.values[place].nextNumber,
                discontinuitySequence: discontinuitySequence
            ))
        queues.values[place].publish(fact, in: discontinuitySequence, now: now)
        end = max(end, fact.end)
    }
}
