import Catalogue
import Concurrency
import Timeline

/// The queue of one rendition for the published log: listed segments wait here, in order, for their turn.
///
/// Timeouts use the monotonic clock; segment times are wall-clock. What each event asks is inlined, as a call
/// would copy the queue.
struct RenditionQueue: Sendable {
    let rendition: RenditionID
    /// The source's newest playlist names it, or none has been seen yet.
    var isNamed = true
    var segments: [PendingSegment] = []
    var nextNumber: Int64
    /// End of the last published segment.
    var publishedEnd: Instant?
    /// Everything before is published or given up.
    var settledEnd: Instant?
    /// The discontinuity sequence of the last published segment.
    var discontinuitySequence: Int32?
    /// The format of the last published segment.
    var format: SegmentFormat?
    /// The state of the timestamps of the published segments.
    private var timestamps = TimestampContinuity()
    /// The boundary that a given-up segment requires; nil if none is required.
    var pendingBoundary: DiscontinuityCause?
    /// Since when the first segment has been the next one to publish.
    private var firstSince: SteadyInstant
    /// When the first of the segments that were waited for in a row became the next one.
    private var waitBegan: SteadyInstant
    /// When something was last stored or published, or was listed where nothing waited.
    private var lastProgress: SteadyInstant

    init(rendition: RenditionID, nextNumber: Int64 = 0, now: SteadyInstant) {
        self.rendition = rendition
        self.nextNumber = nextNumber
        firstSince = now
        waitBegan = now
        lastProgress = now
    }

    /// Goes on where the catalogue says that recording stopped.
    init(resuming head: RenditionHead, now: SteadyInstant) {
        self.init(rendition: head.description.id, nextNumber: head.nextNumber, now: now)
        publishedEnd = head.published?.end
        settledEnd = head.last?.end
        discontinuitySequence = head.published?.discontinuitySequence
        format = head.published?.format
    }

    /// Why the first segment cannot follow what was published without a boundary; nil when it can, or is not
    /// stored.
    @inline(__always)
    var boundaryBeforeFirst: DiscontinuityCause? {
        guard let publishedEnd, let fact = segments.first?.fact else { return nil }
        if let asked = segments[0].boundary ?? pendingBoundary { return asked }
        if let format, !fact.format.followsSeamlessly(format) { return .format }
        if timestamps.jumps(to: fact) { return .timestamps }
        return segments[0].start - publishedEnd > Limits.joinTolerance ? .hole : nil
    }

    /// The boundary after a segment that was given up: its cause and start; nil when none is due.
    ///
    /// Nil too when the next segment is stored, as it asks for the boundary in its turn. Asked for at once,
    /// the boundary lies where the hole begins, so that no segment after the hole is too late for it.
    @inline(__always)
    func boundaryAfterGivenUp(in current: Int32) -> (cause: DiscontinuityCause, start: Instant)? {
        guard let pendingBoundary, let settledEnd, discontinuitySequence == current,
            segments.first?.storedAt == nil
        else {
            return nil
        }
        return (pendingBoundary, settledEnd)
    }

    /// Whether the wait for the first segment, which is not stored, has lasted long enough.
    ///
    /// It has after one target duration, or one target duration after a later segment was stored and could
    /// have been published.
    @inline(__always)
    func isOverdue(now: SteadyInstant, target: Duration) -> Bool {
        if now - firstSince > target { return true }
        guard let waiting = firstStoredAt else { return false }
        return now - max(waitBegan, waiting) > target
    }

    /// Whether the other renditions do not wait for this one: it brought nothing for three target durations.
    ///
    /// It is not silent while a stored segment waits for its turn. A rendition that the source does not name
    /// any more is silent as soon as no listed segment waits.
    @inline(__always)
    func isSilent(now: SteadyInstant, target: Duration) -> Bool {
        if !isNamed, segments.isEmpty { return true }
        return now - lastProgress > target + target + target && firstStoredAt == nil
    }

    /// When the next timeout ends: of the first segment, of better bytes for it, or of the rendition.
    @inline(__always)
    func nextTimeout(after now: SteadyInstant, target: Duration) -> SteadyInstant? {
        var next: SteadyInstant?
        func add(_ end: SteadyInstant) {
            let turn = end + .milliseconds(1)
            if turn > now { next = next.orEarlier(turn) }
        }
        add(lastProgress + target + target + target)
        if let storedAt = segments.first?.storedAt {
            add(storedAt + target)
            add(storedAt + target + target)
        } else if !segments.isEmpty {
            add(firstSince + target)
            if let waiting = firstStoredAt { add(max(waitBegan, waiting) + target) }
        }
        return next
    }

    /// The start of the next segment.
    @inline(__always)
    var next: Instant? { segments.isEmpty ? nil : segments[0].placed.start }

    /// When the first of the segments that are stored was.
    @inline(__always)
    private var firstStoredAt: SteadyInstant? {
        for index in segments.indices {
            if let storedAt = segments[index].storedAt { return storedAt }
        }
        return nil
    }
}

extension RenditionQueue {
    mutating func listed(_ new: [PendingSegment], now: SteadyInstant) {
        if segments.isEmpty {
            firstSince = now
            waitBegan = now
            lastProgress = now
        }
        segments += new
    }

    /// The bytes of a segment are durable.
    ///
    /// - Returns: false when no such segment waits
    mutating func stored(_ fact: SegmentFact, isFinal: Bool, now: SteadyInstant) -> Bool {
        guard let index = index(of: fact.identity) else { return false }
        segments[index].progress = .stored(fact)
        segments[index].storedAt = segments[index].storedAt ?? now
        segments[index].awaitsBetter = !isFinal
        lastProgress = now
        return true
    }

    /// No better bytes of a segment will come.
    mutating func markFinal(_ identity: SegmentIdentity) {
        guard let index = index(of: identity) else { return }
        segments[index].awaitsBetter = false
    }

    /// The bytes of a segment will not come; what is stored stays stored.
    mutating func lost(_ identity: SegmentIdentity, reason: GapReason, note: String) {
        guard let index = index(of: identity), segments[index].storedAt == nil
        else {
            return
        }
        segments[index].progress = .lost(reason, note: note)
    }

    /// The bytes of a segment may take long.
    mutating func noteDelay(of identity: SegmentIdentity, _ reason: GapReason) {
        guard let index = index(of: identity) else { return }
        segments[index].waitsFor = reason
    }

    /// Where a segment waits; nil when it does not.
    func index(of identity: SegmentIdentity) -> Int? {
        segments.indices.first { segments[$0].placed.identity == identity }
    }

    /// Removes and returns the listed segments after the last one that is stored or lost.
    mutating func detachExpected() -> [PendingSegment] {
        let end = (segments.lastIndex { !$0.isExpected } ?? -1) + 1
        defer { segments.removeSubrange(end...) }
        return Array(segments[end...])
    }

    /// The first segment was published.
    mutating func publish(_ fact: SegmentFact, in discontinuitySequence: Int32, now: SteadyInstant) {
        nextNumber += 1
        publishedEnd = fact.end
        self.discontinuitySequence = discontinuitySequence
        format = fact.format
        timestamps.take(fact)
        pendingBoundary = nil
        lastProgress = now
        settle(now: now)
    }

    /// The bytes of the first segment did not come in time.
    mutating func giveUp(now: SteadyInstant) {
        pendingBoundary = .hole
        let began = waitBegan
        settle(now: now)
        waitBegan = began
    }

    /// Takes the first segment off, settled one way or the other.
    mutating func settle(now: SteadyInstant) {
        let end = segments[0].end
        segments.removeFirst()
        settledEnd = max(settledEnd ?? end, end)
        firstSince = now
        waitBegan = now
    }
}
