import Catalogue
import Concurrency
import Timeline

/// A listed segment on its way into the published log.
struct PendingSegment: Sendable {
    enum Progress: Sendable {
        case expected
        case stored(SegmentFact)
        case lost(GapReason, note: String)
    }

    let placed: PlacedSegment
    var progress = Progress.expected
    var storedAt: SteadyInstant?
    /// It is fetched later; the segments after it do not wait for it.
    var isPostponed = false
    /// What is stored is not whole, and better bytes may come.
    var awaitsBetter = false
    /// What its segment waits for, as far as that is known.
    var waitsFor: GapReason?

    init(_ placed: PlacedSegment) {
        self.placed = placed
    }

    var identity: SegmentIdentity { placed.identity }
    var start: Instant { placed.start }
    var duration: Int64 { placed.duration }
    var end: Instant { placed.end }
    /// What EXTINF will say, microseconds, as far as it is known.
    var mediaDuration: Int64 {
        if case .stored(let fact) = progress { fact.mediaDuration } else { duration }
    }
    var middle: Instant { placed.start + placed.duration / 2 }
    /// A boundary that the source or the clock asks for in front of the segment.
    var boundary: DiscontinuityCause? { placed.boundary }
    var isExpected: Bool { if case .expected = progress { true } else { false } }
    /// Its end while it is neither stored nor lost.
    var expectedEnd: Instant? { isExpected ? end : nil }
    /// What is stored of it.
    var fact: SegmentFact? { if case .stored(let fact) = progress { fact } else { nil } }
}
