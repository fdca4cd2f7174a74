import HLS
import Timeline

/// Whether the dates of a source are frozen: its playlists begin with the same date, although their
/// segments move on.
struct FrozenDates: Sendable {
    /// The first date of a playlist, and the lowest number that had it.
    private var begin: (date: Int64, number: Int64)?
    /// The highest number that had it.
    private var highest: Int64 = 0
    /// How often the date has moved to a later segment.
    private var count = 0
    /// Whether the source run has begun with other dates.
    private(set) var haveMoved = false

    /// Whether the dates are frozen now.
    var areFrozen: Bool { count >= Limits.frozenDateMoves }

    /// Looks at the next playlist of the source run.
    mutating func look(at playlist: MediaPlaylist) {
        guard let index = playlist.segments.firstIndex(where: { $0.programDateTimeMicroseconds != nil }),
            let date = playlist.segments[index].programDateTimeMicroseconds,
            let number = PlaylistFollower.number(playlist, index)
        else { return }
        guard let known = begin, known.date == date, known.number <= number else {
            if let begin, begin.date != date { haveMoved = true }
            begin = (date, number)
            (highest, count) = (number, 0)
            return
        }
        // Short segments have the same date where dates are in whole seconds.
        let resolution = Limits.dateResolution / max(playlist.segments[index].durationMicroseconds, 1)
        guard number > highest, number - known.number > resolution else { return }
        (highest, count) = (number, count + 1)
    }
}

extension RenditionProgress {
    /// A playlist as it is followed: with corrected numbers, and without dates that stand still.
    mutating func corrected(_ playlist: MediaPlaylist) -> MediaPlaylist {
        var playlist = PlaylistFollower.withoutRepeats(playlist)
        let wereFrozen = dateSteps.frozen.areFrozen
        dateSteps.frozen.look(at: playlist)
        guard dateSteps.frozen.areFrozen else { return alignment.corrected(playlist) }
        if !wereFrozen { placing.rejectFrozenDates(fromBeginning: !dateSteps.frozen.haveMoved) }
        for index in playlist.segments.indices {
            playlist.segments[index].programDateTimeMicroseconds = nil
        }
        return alignment.corrected(playlist)
    }
}
