import Timeline

/// The bit rates of a rendition within a window, in bits per second.
struct BitRate: Equatable {
    /// The maximum over any run of segments between half and one and a half target durations (RFC 8216bis
    /// §4.4.6.2).
    var peak: Int64 = 0
    var average: Int64 = 0

    init(of segments: some Sequence<RecordedSegment>, targetSeconds: Int) {
        let target = Int64(targetSeconds) * Microseconds.perSecond
        var whole = Run()
        // The runs that can still grow. They are few, because a run soon becomes too long.
        var open: [Run] = []
        for segment in segments {
            whole.append(segment)
            open.append(Run())
            for index in open.indices { open[index].append(segment) }
            open.removeAll { $0.duration > target + target / 2 }
            for run in open where run.duration >= target / 2 { peak = max(peak, run.rate) }
        }
        average = whole.rate
        peak = max(peak, average)
    }

    private struct Run {
        private var bytes: Int64 = 0
        private(set) var duration: Int64 = 0

        mutating func append(_ segment: RecordedSegment) {
            bytes += segment.storedBytes
            duration += segment.mediaDuration
        }

        /// Rounded up, so that a peak is never understated.
        var rate: Int64 {
            guard duration > 0 else { return 0 }
            let bits = Double(bytes) * 8 * 1_000_000 / Double(duration)
            return Int64(min(bits.rounded(.up), Double(Limits.bitRate)))
        }
    }
}

extension BitRate {
    /// The rates while one of several alternatives plays, at most.
    static func largest(of alternatives: [BitRate]) -> BitRate {
        var largest = BitRate(of: [], targetSeconds: 1)
        largest.peak = alternatives.map(\.peak).max() ?? 0
        largest.average = alternatives.map(\.average).max() ?? 0
        return largest
    }

    /// The rates of both together, each at most the limit.
    static func + (one: BitRate, other: BitRate) -> BitRate {
        var sum = one
        sum.peak = bounded(bounded(one.peak) + bounded(other.peak))
        sum.average = bounded(bounded(one.average) + bounded(other.average))
        return sum
    }

    private static func bounded(_ rate: Int64) -> Int64 { min(rate, Limits.bitRate) }
}
