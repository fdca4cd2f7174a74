/// A half-open interval `[begin, end)` of wall-clock time.
package struct TimeWindow: Hashable, Sendable, Codable {
    package var begin: Instant
    package var end: Instant

    package init(begin: Instant, end: Instant) {
        self.begin = begin
        self.end = end
    }

    private enum CodingKeys: String, CodingKey {
        case begin, end
    }

    /// Length in microseconds, never negative.
    package var microseconds: Int64 {
        max(0, end - begin)
    }

    package var isEmpty: Bool {
        end <= begin
    }

    package func contains(_ instant: Instant) -> Bool {
        begin <= instant && instant < end
    }

    package func overlaps(_ other: TimeWindow) -> Bool {
        begin < other.end && other.begin < end
    }

    /// The intersection; an empty one starts at the later begin.
    package func clamped(to other: TimeWindow) -> TimeWindow {
        let from = max(begin, other.begin)
        return TimeWindow(begin: from, end: max(from, min(end, other.end)))
    }
}
