import HLS

/// How long the segments of a playlist are by its own dates, compared with what EXTINF says of them.
///
/// Whole seconds in EXTINF are off by up to half a second, always the same way for segments that are cut
/// alike.
struct DatedDurations {
    /// Microseconds, of all pairs of neighbours that both have dates.
    private var byDates: Int64 = 0
    private var byDurations: Int64 = 0

    init(_ playlist: MediaPlaylist) {
        for (entry, next) in zip(playlist.segments, playlist.segments.dropFirst()) {
            guard let begin = entry.programDateTimeMicroseconds, let end = next.programDateTimeMicroseconds,
                next.discontinuityCount == 0, let duration = PlaylistFollower.duration(of: entry)
            else { continue }
            let (length, overflow) = end.subtractingReportingOverflow(begin)
            // Anything else is a jump of the clock or a hole, and says nothing of the segment.
            guard !overflow, (duration / 2...duration + duration / 2).contains(length) else { continue }
            byDates += length
            byDurations += duration
        }
    }

    /// A duration as the dates have it; as it is where they agree with EXTINF as well as dates in whole
    /// seconds can.
    func stretch(_ duration: Int64) -> Int64 {
        guard abs(byDates - byDurations) > Limits.dateResolution else { return duration }
        return max(1, Int64(Double(duration) * (Double(byDates) / Double(byDurations))))
    }
}
