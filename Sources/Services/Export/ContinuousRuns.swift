import Timeline

/// Consecutive segments with continuous timestamps.
struct ContinuousRun: Sendable {
    var first: RecordedSegment
    var last: RecordedSegment
    /// Where the run begins and ends in the file, as sums of media durations, microseconds.
    var begin: Int64
    var end: Int64

    /// The ticks of 90 kHz from its begin to a segment of another rendition, as the catalogue has them.
    func distance(to segment: RecordedSegment) -> Int64 { (segment.start - first.start) * 9 / 100 }

    /// The time of a segment of another rendition if the run begins at a time, 90 kHz.
    func time(of segment: RecordedSegment, _ begin: UInt64) -> UInt64 {
        begin &+ UInt64(bitPattern: distance(to: segment))
    }
}

/// The segments of a file in runs with continuous timestamps, found without looking at each segment.
struct ContinuousRuns: Sendable {
    private(set) var all: [ContinuousRun] = []

    init(_ runs: [SegmentRun]) {
        for run in runs {
            for part in run.parts {
                let first = run.segments[part.positions.lowerBound]
                let last = run.segments[part.positions.upperBound - 1]
                if let open = all.last, !first.jumps(from: open.last) {
                    all[all.count - 1].last = last
                    all[all.count - 1].end += part.duration
                } else {
                    let begin = all.last?.end ?? 0
                    all.append(
                        ContinuousRun(first: first, last: last, begin: begin, end: begin + part.duration))
                }
            }
        }
    }

    /// The run of a segment.
    func index(of segment: RecordedSegment) -> Int { lastIndex { $0.first.start <= segment.start } ?? 0 }

    /// The run in whose time most of a segment of another rendition lies; nil for a hole.
    func index(beside segment: RecordedSegment) -> Int? {
        let middle = segment.start + segment.duration / 2
        guard let index = lastIndex(where: { $0.first.start <= middle }) else { return nil }
        return middle < all[index].last.end ? index : nil
    }

    /// The runs in whose time a segment of another rendition lies, at least with a part of it.
    func indices(overlapping segment: RecordedSegment) -> [Int] {
        let least = min(Limits.audioOverlap, segment.duration / 2)
        guard var index = lastIndex(where: { $0.first.start < segment.end }) else { return [] }
        var found: [Int] = []
        while index >= 0, all[index].last.end > segment.start {
            let shared = min(segment.end, all[index].last.end) - max(segment.start, all[index].first.start)
            if shared > least { found.append(index) }
            index -= 1
        }
        return found.reversed()
    }

    /// The last run whose begin satisfies the condition; the condition holds for the first runs only.
    private func lastIndex(where isBegun: (ContinuousRun) -> Bool) -> Int? {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if isBegun(all[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}
