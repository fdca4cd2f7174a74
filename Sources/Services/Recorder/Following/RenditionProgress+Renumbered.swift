import HLS
import Timeline

/// Recorded media that a playlist may list once more, under other numbers.
extension RenditionProgress {
    /// Whether the source may have a new numbering: the first playlist after a start lists only numbers that
    /// are higher than the recorded ones, by at most `Limits.numberJump`.
    func mayBeRenumbered(_ playlist: MediaPlaylist) -> Bool {
        guard isResuming, run != nil, follower.isUnconfirmed, let highest = follower.highest,
            let first = PlaylistFollower.number(playlist, 0)
        else { return false }
        return first > highest && first - highest - 1 <= Limits.numberJump
    }

    /// Whether such a playlist may list recorded media.
    ///
    /// It does not if accepted dates show that all of it is new.
    func mayListHeld(_ playlist: MediaPlaylist, at arrival: Arrival) -> Bool {
        guard mayBeRenumbered(playlist), !media.isEmpty else { return false }
        guard placing.clock == .source, acceptsDates(of: playlist, at: arrival) else { return true }
        let target = PlaylistFollower.target(of: playlist)
        let covered = placing.coveredCount(
            entries(of: playlist), arrival: arrival, target: target, byDates: false)
        return covered > 0
    }

    /// The index of an entry that is held if the playlist lists recorded media.
    ///
    /// It is the first entry. If the playlist is longer than the list of known segments, it is the entry in
    /// the middle of the known ones, at the place that the arrival time gives.
    func likelyHeldIndex(in playlist: MediaPlaylist, at arrival: Arrival) -> Int {
        let entries = entries(of: playlist)
        guard entries.count > max(media.count, Limits.comparedAtFirst), let end = placing.end,
            let arrived = TimePlacing.arrival(of: entries, arrival)
        else { return 0 }
        var begin = arrived + (placing.sourceOffset ?? 0)
        let recorded = entries.prefix { entry in
            defer { begin = begin + entry.duration }
            return begin + entry.duration / 2 < end
        }
        return min(max(0, recorded.count - media.count / 2), entries.count - 1)
    }

    /// Where an entry of a playlist is expected on the timeline, by its date, else by arrival.
    func expectedStart(
        of index: Int, _ entries: [TimePlacing.Entry], in playlist: MediaPlaylist, at arrival: Arrival,
    ) -> Instant? {
        var trial = placing
        trial.startRun()
        _ = trial.place(entries, arrival: arrival, target: PlaylistFollower.target(of: playlist))
        if placing.clock == .source, trial.clock == .source, let date = entries[index].programDateTime {
            return date - trial.zone
        }
        return TimePlacing.arrival(of: entries, arrival).map { arrived in
            entries.prefix(index).reduce(arrived + (placing.sourceOffset ?? 0)) { $0 + $1.duration }
        }
    }
}
