import HLS
import Timeline

/// The ranges of dates that a live source has listed (EXT-X-DATERANGE), each with all that was said of it.
///
/// The source drops a range with its segments. Bounded: the oldest are left out.
struct KnownDateRanges: Sendable {
    private struct Known: Sendable {
        var range: DateRange
        /// Names and values, UTF-8.
        var byteCount: Int

        init(_ range: DateRange) {
            self.range = range
            byteCount = range.attributes.attributes.reduce(0) {
                $0 + $1.name.utf8.count + $1.value.utf8.count
            }
        }

        /// Adds what a later tag says; no tag changes what was said (RFC 8216bis §4.4.5.1).
        mutating func add(_ later: DateRange) {
            var attributes = range.attributes
            attributes.append(later.attributes)
            guard attributes.attributes.count <= ReadingLimits.standard.attributeCount,
                let merged = DateRange(attributes).map(Known.init), merged.byteCount <= Limits.dateRangeBytes
            else { return }
            self = merged
        }
    }

    private var known: [Known] = []

    /// In the order in which they were first listed.
    var all: [DateRange] { known.map(\.range) }

    mutating func take(_ listed: [DateRange]) {
        guard !listed.isEmpty else { return }
        var places = Dictionary(
            known.enumerated().map { ($0.element.range.id, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        for range in listed {
            if let place = places[range.id] {
                if known[place].range != range { known[place].add(range) }
            } else {
                places[range.id] = known.count
                known.append(Known(range))
            }
        }
        dropOldest()
    }

    private mutating func dropOldest() {
        var byteCount = known.reduce(0) { $0 + $1.byteCount }
        var count = 0
        while known.count - count > Limits.dateRangeCount || byteCount > Limits.totalDateRangeBytes {
            byteCount -= known[count].byteCount
            count += 1
        }
        known.removeFirst(count)
    }
}
