import Catalogue
import HLS
import Timeline

/// A segment of a source's playlist with everything that was decided when it was first listed.
struct ListedSegment: Sendable {
    var identity: SegmentIdentity
    /// The entry as the source wrote it.
    var entry: MediaSegment
    /// When the list that first showed it was fetched.
    var arrival: Instant
    /// Decided once; it travels with the fact.
    var start: Instant
    var duration: Int64
    var flags: SegmentFlags
    /// Why the segment cannot follow the one before it seamlessly; nil when it does.
    var boundary: String?
    /// Why time is missing before the segment; nil when none is.
    var hole: GapReason?
    /// Counts discontinuities, so that an initialization section is fetched anew after each.
    var domain: Int
    /// Until when the source can be expected to hold the segment (RFC 8216bis §6.2.2).
    ///
    /// By the clock that only ever goes on.
    var availableUntil: ContinuousClock.Instant

    var end: Instant { start + duration }
    var asLost: LostSegment { LostSegment(identity: identity, start: start, duration: duration) }
    var slot: Lane.Slot {
        Lane.Slot(identity: identity, start: start, duration: duration, boundary: boundary)
    }
}
