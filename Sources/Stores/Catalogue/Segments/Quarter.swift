package import Timeline

/// A quarter of an hour of one rendition, aligned to the clock.
package struct Quarter: Hashable, Sendable {
    package static let microseconds: Int64 = 900_000_000

    /// The rendition's row id.
    package var rendition: Int32
    /// Microseconds since 1970, a multiple of `microseconds`.
    package var begin: Int64

    package init(rendition: Int32, containing microseconds: Int64) {
        self.rendition = rendition
        let remainder = microseconds % Self.microseconds
        begin = microseconds - (remainder < 0 ? remainder + Self.microseconds : remainder)
    }
}

/// Consecutive quarters of one rendition.
package struct QuarterRange: Hashable, Sendable {
    package var first: Quarter
    package var count: Int

    package init(first: Quarter, count: Int) {
        self.first = first
        self.count = count
    }

    package var quarters: [Quarter] {
        (0..<count).map { index in
            var quarter = first
            quarter.begin += Int64(index) * Quarter.microseconds
            return quarter
        }
    }

    var end: Int64 { first.begin + Int64(count) * Quarter.microseconds }

    /// Combines ordered quarters into as few consecutive ranges as possible, none with more than some.
    package static func joining(_ quarters: [Quarter], atMost limit: Int = .max) -> [QuarterRange] {
        var ranges: [QuarterRange] = []
        for quarter in quarters {
            if let last = ranges.last, last.first.rendition == quarter.rendition, last.count < limit,
                quarter.begin == last.end
            {
                ranges[ranges.count - 1].count += 1
            } else {
                ranges.append(QuarterRange(first: quarter, count: 1))
            }
        }
        return ranges
    }
}

/// Identifies one content of a quarter.
///
/// The revision alone is not enough: it starts from one again when a quarter was emptied and refilled.
package struct QuarterVersion: Hashable, Sendable {
    package var revision: Int32
    package var begin: Int64
    package var end: Int64
    package var segments: Int32

    package init(revision: Int32, begin: Int64, end: Int64, segments: Int32) {
        self.revision = revision
        self.begin = begin
        self.end = end
        self.segments = segments
    }
}

/// The segments that begin in a quarter.
package struct QuarterRecord: Sendable {
    package var quarter: Quarter
    /// At most as new as the segments; nil if the quarter is empty.
    package var version: QuarterVersion?
    /// Ordered by start.
    package var segments: [RecordedSegment]
    /// The same with the better bytes that came after some were published; nil if none came.
    package var repaired: [RecordedSegment]?

    package init(
        quarter: Quarter, version: QuarterVersion?, segments: [RecordedSegment],
        repaired: [RecordedSegment]? = nil,
    ) {
        self.quarter = quarter
        self.version = version
        self.segments = segments
        self.repaired = repaired
    }
}
