import Catalogue
import Timeline

/// One rendition's way into the published log: what is listed waits here, in order, until it is its turn.
///
/// Patience goes by a steady clock, which no step of the host's touches; the times of segments are the wall's.
struct Lane: Sendable {
    /// A listed segment on its way.
    struct Slot: Sendable {
        enum Progress: Sendable {
            case expected
            case stored(SegmentFact)
            case lost(GapReason, note: String)
        }

        var identity: SegmentIdentity
        var start: Instant
        var duration: Int64
        /// A boundary that the source or the clock asks for in front of the segment.
        var boundary: String?
        var progress = Progress.expected
        var storedAt: ContinuousClock.Instant?
        /// What its segment waits for, as far as that is known.
        var waitsFor: GapReason?

        var end: Instant { start + duration }
        var middle: Instant { start + duration / 2 }
        var isExpected: Bool { if case .expected = progress { true } else { false } }
    }

    let rendition: RenditionID
    var slots: [Slot] = []
    var nextNumber: Int64
    /// End of the last published segment.
    var publishedEnd: Instant?
    /// Everything before is published or given up.
    var settledEnd: Instant?
    /// Epoch of the last published segment.
    var discontinuitySequence: Int32?
    /// State of the last published segment.
    var format: SegmentFormat?
    /// Where the time stamps of what was published stand.
    private var timestamps = TimestampTrail()
    /// Asked for by something that was given up.
    var pendingBoundary: String?
    /// When the first slot became the next one.
    private var turnBegan: ContinuousClock.Instant
    /// When the first of the slots that were waited for in a row became the next one.
    private var waitBegan: ContinuousClock.Instant
    /// When something was last stored or published, or was listed where nothing waited.
    private var lastProgress: ContinuousClock.Instant

    init(rendition: RenditionID, nextNumber: Int64 = 0, now: ContinuousClock.Instant) {
        self.rendition = rendition
        self.nextNumber = nextNumber
        turnBegan = now
        waitBegan = now
        lastProgress = now
    }

    /// Why the fact cannot follow what was published without a boundary; nil when it can.
    func boundary(before slot: Slot, _ fact: SegmentFact) -> String? {
        guard let publishedEnd else { return nil }
        if let asked = slot.boundary ?? pendingBoundary { return asked }
        if let format, !format.followsSeamlessly(fact.format) { return "media" }
        if timestamps.jumps(to: fact) { return "timestamps" }
        return slot.start - publishedEnd > Limits.seam ? "hole" : nil
    }

    /// The boundary behind what was given up, and where; nil when the rendition has none to ask for or something stored
    /// does so in its turn.
    ///
    /// Asked for at once, it lies where the hole begins, and nothing that comes behind the hole is passed over.
    func owedBoundary(in current: Int32) -> (cause: String, place: Instant)? {
        guard let pendingBoundary, let settledEnd, discontinuitySequence == current,
            slots.first?.storedAt == nil
        else {
            return nil
        }
        return (pendingBoundary, settledEnd)
    }

    /// Whether the first slot, which is not stored, has been waited for long enough: one target duration of its own,
    /// or one target duration in which a stored segment behind it could have been published.
    func isOverdue(now: ContinuousClock.Instant, target: Duration) -> Bool {
        if now - turnBegan > target { return true }
        guard let waiting = slots.lazy.compactMap(\.storedAt).first else { return false }
        return now - max(waitBegan, waiting) > target
    }

    /// A rendition that has brought nothing for three target durations does not hold the others.
    ///
    /// One whose stored segments wait for their turn has brought something.
    func isSilent(now: ContinuousClock.Instant, target: Duration) -> Bool {
        now - lastProgress > target * 3 && !slots.contains { $0.storedAt != nil }
    }
}

extension Lane {
    mutating func listed(_ new: [Slot], now: ContinuousClock.Instant) {
        if slots.isEmpty {
            turnBegan = now
            waitBegan = now
            lastProgress = now
        }
        slots += new
    }

    /// A slot's segment is durable.
    ///
    /// - Returns: false when no such slot waits
    mutating func stored(_ fact: SegmentFact, now: ContinuousClock.Instant) -> Bool {
        guard let index = slots.firstIndex(where: { $0.identity == fact.identity }) else { return false }
        slots[index].progress = .stored(fact)
        slots[index].storedAt = now
        lastProgress = now
        return true
    }

    /// A slot's segment will not come; what is stored stays stored.
    mutating func lost(_ identity: SegmentIdentity, reason: GapReason, note: String) {
        guard let index = slots.firstIndex(where: { $0.identity == identity }), slots[index].storedAt == nil
        else {
            return
        }
        slots[index].progress = .lost(reason, note: note)
    }

    /// A slot's segment may be long in coming.
    mutating func waits(_ identity: SegmentIdentity, for reason: GapReason) {
        guard let index = slots.firstIndex(where: { $0.identity == identity }) else { return }
        slots[index].waitsFor = reason
    }

    /// Takes back what is listed behind everything that is stored or lost.
    mutating func detachExpected() -> [Slot] {
        let end = (slots.lastIndex { !$0.isExpected } ?? -1) + 1
        defer { slots.removeSubrange(end...) }
        return Array(slots[end...])
    }

    /// The first slot was published.
    mutating func publish(_ fact: SegmentFact, in discontinuitySequence: Int32, now: ContinuousClock.Instant)
    {
        nextNumber += 1
        publishedEnd = fact.end
        self.discontinuitySequence = discontinuitySequence
        format = fact.format
        timestamps.take(fact)
        pendingBoundary = nil
        lastProgress = now
        settle(now: now)
    }

    /// The first slot's segment did not come in its turn.
    mutating func giveUp(now: ContinuousClock.Instant) {
        pendingBoundary = "hole"
        let began = waitBegan
        settle(now: now)
        waitBegan = began
    }

    /// Takes the first slot off, settled one way or the other.
    mutating func settle(now: ContinuousClock.Instant) {
        let slot = slots.removeFirst()
        settledEnd = max(settledEnd ?? slot.end, slot.end)
        turnBegan = now
        waitBegan = now
    }
}

extension SegmentFormat {
    /// Whether a decoder goes on without being told: same container, tracks and initialization section.
    ///
    /// Keys may change.
    fileprivate func followsSeamlessly(_ other: SegmentFormat) -> Bool {
        container == other.container && initName == other.initName && tracks == other.tracks
    }
}
