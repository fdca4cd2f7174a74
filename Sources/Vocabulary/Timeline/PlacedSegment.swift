/// A segment with its place in wall-clock time, which is decided once, when the segment is first listed.
package struct PlacedSegment: Sendable, Equatable {
    package var identity: SegmentIdentity
    package var start: Instant
    /// Microseconds, more than zero.
    package var duration: Int64
    /// Why a discontinuity lies before the segment; nil if it continues the previous one seamlessly.
    package var boundary: DiscontinuityCause?

    package init(
        identity: SegmentIdentity, start: Instant, duration: Int64, boundary: DiscontinuityCause? = nil
    ) {
        self.identity = identity
        self.start = start
        self.duration = duration
        self.boundary = boundary
    }

    package var end: Instant { start + duration }
    package var window: TimeWindow { TimeWindow(begin: start, end: end) }
}

extension SegmentFact {
    package var placed: PlacedSegment {
        PlacedSegment(identity: identity, start: start, duration: duration, boundary: boundary)
    }
}

extension KeyPendingSegment {
    package var placed: PlacedSegment {
        PlacedSegment(identity: identity, start: start, duration: duration, boundary: boundary)
    }
}
