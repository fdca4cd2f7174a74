import Catalogue
import HLS
import Timeline

/// What a playlist of another source shows of the timeline.
extension RenditionProgress {
    /// The windows of a playlist's entries by the dates of both sources; nil if the dates do not show them.
    ///
    /// Both sources are assumed to have the same dates, so the timeline differs from both by the same amount.
    /// If both are about equally far from arrival, they are in the same zone, even if that is far because the
    /// host's clock is wrong.
    func datedWindows(
        in playlist: MediaPlaylist, at arrival: Arrival, choice: ClockChoice,
    ) -> [TimeWindow]? {
        let entries = entries(of: playlist)
        let dates = entries.compactMap(\.programDateTime)
        guard dates.count == entries.count, placing.clock == .source, let own = placing.sourceOffset,
            let date = dates.last, let arrived = TimePlacing.arrival(of: Array(entries.suffix(1)), arrival)
        else { return nil }
        let advances = dates.count == 1 || dates[0] < date
        let isAlike = (date - arrived - own - placing.zone).magnitude <= Limits.sourceLatency.magnitude
        var zone = placing.zone
        if !isAlike || !advances {
            var trial = TimePlacing(choice: choice)
            _ = trial.place(entries, arrival: arrival, target: PlaylistFollower.target(of: playlist))
            guard trial.clock == .source, trial.sourceOffset != nil else { return nil }
            zone = trial.zone
        }
        let correction = zone + placing.drift
        return zip(dates, entries).map {
            TimeWindow(begin: $0 - correction, end: $0 - correction + $1.duration)
        }
    }

    /// Whether the timeline differs from the dates of the source in use.
    ///
    /// Then the media of another source's segments show their place better than its dates.
    var differsFromDates: Bool { placing.drift.magnitude > Limits.dateResolution.magnitude }

    /// The windows of a playlist's entries, if the media of the entry at `index` begin at `start`.
    ///
    /// `source` is the URL of its source; durations measured in earlier uses of that source count.
    func windows(
        in playlist: MediaPlaylist, of source: String, around index: Int, at start: Instant,
    ) -> [TimeWindow] {
        let durations = durations(of: playlist, source)
        var begin = start - durations.prefix(index).reduce(0, +)
        return durations.map { duration in
            defer { begin = begin + duration }
            return TimeWindow(begin: begin, end: begin + duration)
        }
    }

    /// Where the media of a playlist's entry begin on the timeline; nil when nothing shows it.
    func begin(
        of probed: ProbedSegment, in playlist: MediaPlaylist, of source: String, _ index: Int,
        at arrival: Arrival,
    ) -> Instant? {
        let remainingDuration = durations(of: playlist, source).dropFirst(index).reduce(0, +)
        return media.start(of: probed, near: arrival.date - remainingDuration + (placing.sourceOffset ?? 0))
    }

    /// An earlier process filled a time from another source: it is not fetched once more.
    mutating func fill(_ window: TimeWindow) {
        filled.append(window)
        if filled.count > Limits.holes { filled.removeFirst() }
        let wanted = unfetched.filter { !isFilled($0.placed.window) }
        unfetched = wanted
    }

    /// Whether more than half of a time was filled by an earlier process.
    func isFilled(_ window: TimeWindow) -> Bool {
        let held = filled.reduce(Int64(0)) { $0 + $1.clamped(to: window).microseconds }
        return held > window.microseconds / 2
    }

    private func durations(of playlist: MediaPlaylist, _ source: String) -> [Int64] {
        let target = PlaylistFollower.target(of: playlist)
        let known = earlierUses[source]?.measured ?? MeasuredDurations()
        return playlist.segments.map { known.duration(stated: PlaylistFollower.duration(of: $0)) ?? target }
    }
}

extension RenditionHead {
    /// The last segment of the source that was recorded last; the numbering continues after it.
    ///
    /// The highest run id does not show this: a node that was frozen may have begun a later run while another
    /// node continued this one. A segment that fills a hole ends no later than the missing segment, whose run
    /// has the higher id.
    var lastOfSource: KnownSegment? {
        known.filter { !$0.fillsHole }.max { ($0.end, $0.run) < ($1.end, $1.run) }
    }
}
