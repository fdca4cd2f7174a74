import HLS
import Timeline

/// A distance between the dates of two consecutive segments that is longer than the first of them plays.
struct DateStep {
    /// The media sequence number of the second segment.
    var number: Int64
    /// From one date to the other, microseconds.
    var length: Int64
    /// How long the first segment plays, microseconds.
    var duration: Int64
    /// Where the media of the first segment begin, in units of 90 kHz; nil where that is not known.
    var timestamp: Int64?
    /// The playlist lists the first segment.
    var isListed: Bool
    /// An earlier process stored the first segment.
    var isHeld: Bool
    /// EXT-X-DISCONTINUITY stands between the two.
    var isDiscontinuity: Bool

    /// What the dates show between the two segments, microseconds.
    var excess: Int64 { length - duration }
}

/// The entries of a playlist by their dates, with what is known of the segments in front of them.
struct DatedEntries {
    private let playlist: MediaPlaylist
    private let dates: [Instant?]
    /// Where dates show another length of all segments, EXTINF is wrong, and none of them is a step.
    private let dated: DatedDurations
    private let stored: [Int64: ShortSegments.Entry]
    private let earlier: DateSteps.Predecessor?
    /// How far dates may differ from durations, microseconds.
    let tolerance: Int64

    /// `stored` and `earlier` are as for `DateSteps.find`; in front of the numbers of `holes` media are
    /// missing.
    init(
        _ playlist: MediaPlaylist, stored: [Int64: ShortSegments.Entry],
        after earlier: DateSteps.Predecessor?, holes: Set<Int64>,
    ) {
        self.playlist = playlist
        self.stored = stored
        self.earlier = earlier
        dates = NewEntries.dates(of: playlist)
        dated = DatedDurations(playlist, holes: holes)
        let isCoarse = !dates.contains { ($0?.microseconds ?? 0) % Microseconds.perSecond != 0 }
        tolerance = Limits.timestampSlack + (isCoarse ? Limits.dateResolution : 0)
    }

    /// The step in front of the entry at an index; nil if there is none that its media have to explain.
    func step(before index: Int, number: Int64, expected: (Int64) -> Int64) -> DateStep? {
        let entry = playlist.segments[index]
        guard !entry.isGap, entry.programDateTimeMicroseconds != nil, let date = dates[index],
            let predecessor = predecessor(of: index, number: number), let before = predecessor.date
        else { return nil }
        let step = DateStep(
            number: number, length: date - before, duration: duration(of: predecessor, expected: expected),
            timestamp: stored[number - 1]?.timestamp ?? predecessor.timestamp, isListed: index > 0,
            isHeld: predecessor.isOfEarlierProcess, isDiscontinuity: entry.discontinuityCount > 0)
        // For a longer step the dates alone show a hole, and no probe is needed.
        guard step.excess > tolerance + step.duration / 10,
            step.excess <= TimePlacing.step(target: PlaylistFollower.target(of: playlist))
        else { return nil }
        // After EXT-X-DISCONTINUITY timestamps may start anywhere: they show no step of the dates.
        return step.isHeld && step.isDiscontinuity ? nil : step
    }

    /// The segment in front of an entry, as the playlist lists it, else as it is known from earlier.
    private func predecessor(of index: Int, number: Int64) -> DateSteps.Predecessor? {
        let known = earlier.flatMap { $0.number == number - 1 ? $0 : nil }
        guard index > 0 else { return known }
        guard let duration = PlaylistFollower.duration(of: playlist.segments[index - 1]) else { return nil }
        return DateSteps.Predecessor(
            number: number - 1, date: dates[index - 1], duration: duration, timestamp: known?.timestamp)
    }

    private func duration(of segment: DateSteps.Predecessor, expected: (Int64) -> Int64) -> Int64 {
        let stated = segment.duration
        if segment.isOfEarlierProcess { return stated }
        let usual = dated.isWrong ? dated.duration(stated: stated) : nil
        return max(stated, stored[segment.number]?.measured ?? usual ?? expected(stated))
    }
}
