import Postgres
package import Timeline

/// Where a channel was last reanchored: what was recorded before that, at times from there on, is set aside.
package struct ReanchorPoint: Sendable, Equatable {
    /// Segments that were recorded under an earlier fence belong to the previous timeline.
    package var fence: Int64
    /// The present when the channel was reanchored.
    package var instant: Instant

    package init(fence: Int64, instant: Instant) {
        (self.fence, self.instant) = (fence, instant)
    }

    static let columns = "reanchor_fence, reanchored_us"

    /// Whether a segment of the previous timeline lies ahead of the point.
    package func setsAside(_ fact: SegmentFact) -> Bool {
        setsAside(fact.placed, recordedUnder: fact.fence)
    }

    /// The same for a segment that was listed under this fence.
    package func setsAside(_ segment: PlacedSegment, recordedUnder fence: Int64) -> Bool {
        fence < self.fence && segment.start >= instant
    }
}

extension ReanchorPoint {
    /// Nil if the channel was never reanchored.
    init?(from row: Row) throws {
        let fence = try row.decode("reanchor_fence", as: Int64.self)
        if fence == 0 { return nil }
        self.init(fence: fence, instant: Instant(microseconds: try row.decode("reanchored_us")))
    }
}
