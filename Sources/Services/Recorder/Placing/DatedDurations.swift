import HLS
import Timeline

/// How long the segments of a playlist are by its own dates, compared with what EXTINF says of them.
///
/// Whole seconds in EXTINF are off by up to half a second, always the same way for segments that are cut
/// alike; some packagers say a length that has nothing to do with the segments.
struct DatedDurations {
    /// Two neighbours that both have dates, microseconds.
    private struct Pair {
        var length: Int64
        /// What EXTINF states; nil if it is unusable.
        var stated: Int64?
    }

    /// Sum of the lengths by dates of all pairs that agree with most others, microseconds.
    private var byDates: Int64 = 0
    private var byDurations: Int64 = 0
    /// The least and the most that EXTINF says of those pairs, microseconds.
    private var (shortestStated, longestStated) = (Int64.max, Int64.min)
    /// The usual length where EXTINF is of no use, microseconds.
    private let usual: Int64?
    /// Whether EXTINF says a length that has nothing to do with the segments.
    let isWrong: Bool
    /// Whether the dates are in whole seconds.
    private let isCoarse: Bool

    /// In front of the numbers of `holes` media are missing.
    init(_ playlist: MediaPlaylist, holes: Set<Int64> = []) {
        let pairs = Self.pairs(playlist, holes)
        guard !pairs.isEmpty else {
            (usual, isWrong, isCoarse) = (nil, false, true)
            return
        }
        let stated = pairs.compactMap(\.stated)
        let dated = pairs.compactMap { $0.stated == nil ? nil : $0.length }
        usual =
            stated.count == pairs.count
            ? nil : Self.median(of: pairs.filter { $0.stated == nil }.map(\.length))
        let lengths = Self.median(of: dated) ?? 0
        let durations = Self.median(of: stated) ?? 0
        // One pair may be a hole, which makes it longer; several that agree with each other are segments.
        let (shortest, longest) = (dated.min() ?? 0, dated.max() ?? 0)
        let count = lengths < durations || longest - shortest <= longest / 5 ? 2 : 3
        isWrong = stated.count >= count && (lengths - durations).magnitude > (durations / 5).magnitude
        isCoarse = dated.allSatisfy { $0 % Microseconds.perSecond == 0 }
        let ratio = isWrong && durations > 0 ? Double(lengths) / Double(durations) : 1
        for (length, duration) in zip(dated, stated) {
            let expected = Int64(Double(duration) * ratio)
            // Anything else is a jump of the clock or a hole, and says nothing of the segment. Of dates in
            // whole seconds a short pair makes up for a long one beside it.
            let shortest = expected / 2 - (isCoarse ? Limits.dateResolution : 0)
            guard (min(shortest, expected)...expected + expected / 2).contains(length) else { continue }
            byDates += length
            byDurations += duration
            (shortestStated, longestStated) = (min(shortestStated, duration), max(longestStated, duration))
        }
    }

    private static func pairs(_ playlist: MediaPlaylist, _ holes: Set<Int64>) -> [Pair] {
        let segments = playlist.segments
        var pairs: [Pair] = []
        for index in segments.indices.dropLast() {
            guard let begin = segments[index].programDateTimeMicroseconds,
                let end = segments[index + 1].programDateTimeMicroseconds,
                segments[index + 1].discontinuityCount == 0
            else { continue }
            if !holes.isEmpty, let number = PlaylistFollower.number(playlist, index + 1),
                holes.contains(number)
            {
                continue
            }
            let (length, overflow) = end.subtractingReportingOverflow(begin)
            guard !overflow, (1...Limits.longestSegment).contains(length) else { continue }
            if pairs.isEmpty { pairs.reserveCapacity(segments.count) }
            pairs.append(Pair(length: length, stated: PlaylistFollower.duration(of: segments[index])))
        }
        return pairs
    }

    /// Of an even number of values the mean of the middle two.
    private static func median(of values: [Int64]) -> Int64? {
        guard let first = values.first else { return nil }
        // They mostly are the same.
        if values.allSatisfy({ $0 == first }) { return first }
        let sorted = values.sorted()
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        return low + (high - low) / 2
    }

    /// Whether EXTINF `stated` lies among those of the pairs that count, or near them.
    private func isLikeCounted(_ stated: Int64) -> Bool {
        let nearest = min(max(stated, shortestStated), longestStated)
        return !MeasuredDurations.differs(nearest, from: stated)
    }

    /// The duration by dates of a segment with EXTINF `stated`, microseconds; nil where dates tell nothing.
    ///
    /// Where all dates together agree with EXTINF to within a second, it is `stated`. Where they agree as
    /// well with the `measured` duration, the media are right. Without `stated` it is the usual duration.
    /// For another EXTINF than those of the pairs, dates tell nothing: a source may be wrong about a
    /// programme and right about its advertisements.
    func duration(stated: Int64?, measured: Int64? = nil) -> Int64? {
        guard let stated else { return usual }
        guard byDurations > 0 else { return nil }
        let byMedia = Double(byDurations) * Double(measured ?? stated) / Double(stated)
        let fitsMedia = (Double(byDates) - byMedia).magnitude <= Double(Limits.dateResolution)
        guard isLikeCounted(stated) else { return nil }
        if abs(byDates - byDurations) <= Limits.dateResolution {
            return fitsMedia ? measured ?? stated : stated
        }
        if let measured, isCoarse, fitsMedia { return measured }
        let length = Double(stated) * (Double(byDates) / Double(byDurations))
        return Int64(min(max(1, length), Double(Limits.longestSegment)))
    }
}
