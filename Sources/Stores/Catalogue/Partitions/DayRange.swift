import Timeline

/// Whole days, from which a statement states as constants which partitions of `segment` it needs.
///
/// With bound values or values of other tables alone, PostgreSQL before version 18 locks every partition in
/// each transaction. The constants change once a day, so that plans can still be kept.
struct DayRange: Equatable {
    /// Microseconds since 1970, the beginning of a day.
    var begin: Int64
    /// The beginning of the day after the last one.
    var end: Int64

    /// The days from that of one instant to that of another, microseconds since 1970.
    init(from first: Int64, to last: Int64) {
        begin = Catalogue.day(of: first)
        end = (Instant(microseconds: Catalogue.day(of: last)) + Catalogue.dayMicroseconds).microseconds
    }

    /// The days of segments and of what may overlap them.
    init(around segments: [SegmentFact]) {
        let first = segments.map(\.start).min() ?? Instant(microseconds: 0)
        let last = segments.map(\.end).max() ?? first
        self.init(from: (first - Catalogue.longestSegment).microseconds, to: max(first, last).microseconds)
    }
}
