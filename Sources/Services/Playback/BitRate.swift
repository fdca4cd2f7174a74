import Timeline

/// The bit rates of a rendition over a window, in bits per second.
struct BitRate: Equatable {
    /// Over any run of segments between half and one and a half target durations (RFC 8216bis §4.4.6.2).
    var peak: Int64 = 0
    var average: Int64 = 0

    init(of segments: [RecordedSegment], targetSeconds: Int) {
        let target = Int64(targetSeconds) * Microseconds.perSecond
        var (bytes, duration): (Int64, Int64) = (0, 0)
        for (index, segment) in segments.enumerated() {
            bytes += segment.storedBytes
            duration += segment.duration
            peak = max(peak, Self.peak(of: segments[index...], target))
        }
        average = Self.rate(bytes, duration)
        peak = max(peak, average)
    }

    /// The highest rate of the runs that begin with the first segment.
    private static func peak(of segments: ArraySlice<RecordedSegment>, _ target: Int64) -> Int64 {
        var (bytes, duration, highest): (Int64, Int64, Int64) = (0, 0, 0)
        for segment in segments {
            bytes += segment.storedBytes
            duration += segment.duration
            if duration > target + target / 2 { break }
            if duration >= target / 2 { highest = max(highest, rate(bytes, duration)) }
        }
        return highest
    }

    /// Rounded up, so that a peak is never understated.
    private static func rate(_ bytes: Int64, _ duration: Int64) -> Int64 {
        guard duration > 0 else { return 0 }
        let bits = Double(bytes) * 8 * 1_000_000 / Double(duration)
        return Int64(min(bits.rounded(.up), 9e15))
    }
}
