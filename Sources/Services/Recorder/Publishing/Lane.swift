import Catalogue
import Timeline

/// One rendition's way into the published log: what is listed waits here, in order, until it is its turn.
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

        var end: Instant { start + duration }
        var middle: Instant { start + duration / 2 }
    }

    let rendition: RenditionID
    var slots: [Slot] = []
    var nextNumber: Int64
    /// End of the last published segment.
    var publishedEnd: Instant?
    /// Everything before is published or given up.
    var settledEnd: Instant?
    /// Epoch of the last published segment.
    var epoch: Int32?
    /// State of the last published segment.
    var state: MediaState?
    /// Asked for by something that was given up or jumped over.
    var pendingBoundary: String?
    /// When the first slot became the next one.
    var turnBegan: Instant
    /// When something was last listed or settled.
    var lastProgress: Instant

    init(rendition: RenditionID, nextNumber: Int64 = 0, now: Instant) {
        self.rendition = rendition
        self.nextNumber = nextNumber
        turnBegan = now
        lastProgress = now
    }

    /// Takes the first slot off, settled one way or the other.
    mutating func settle(now: Instant) {
        let slot = slots.removeFirst()
        settledEnd = max(settledEnd ?? slot.end, slot.end)
        turnBegan = now
        lastProgress = now
    }

    /// Why the fact cannot follow what was published without a boundary; nil when it can.
    func boundary(before slot: Slot, _ fact: SegmentFact) -> String? {
        guard let publishedEnd else { return nil }
        if let asked = slot.boundary ?? pendingBoundary { return asked }
        if let state, !state.followsSeamlessly(fact.state) { return "media" }
        return slot.start - publishedEnd > 1000 ? "hole" : nil
    }
}

extension MediaState {
    /// Whether a decoder goes on without being told: same container, tracks and initialization section.
    ///
    /// Keys may change.
    fileprivate func followsSeamlessly(_ other: MediaState) -> Bool {
        container == other.container && initName == other.initName && tracks == other.tracks
    }
}
