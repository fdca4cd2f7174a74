import HLS

/// The place of a segment in a playlist, by the durations that the playlist states.
struct PlaylistPlace {
    /// Seconds from the start of the playlist.
    private(set) var begin = 0.0
    private var end = 0.0
    /// The number of discontinuities in the segments before the range.
    private(set) var skippedDiscontinuities = 0

    /// Goes on to the next segment.
    ///
    /// - Returns: whether it lies in the range, if one is given
    mutating func enter(_ segment: MediaSegment, isIn range: TimeRange?) -> Bool {
        begin = end
        end += Double(segment.durationMicroseconds) / 1_000_000
        guard let range, end <= range.begin || begin >= range.end else { return true }
        if begin < range.begin { skippedDiscontinuities += segment.discontinuityCount }
        return false
    }
}
