import HLS
import Journal
import Timeline

/// Markers, whatever states them.
extension ChannelProgress {
    /// Journal entries for the new markers of a playlist, placed on the timeline like its segments.
    mutating func newMarkers(
        in playlist: MediaPlaylist, of rendition: RenditionProgress, at arrival: Instant,
    ) -> [JournalEntry] {
        guard !playlist.dateRanges.isEmpty else { return [] }
        let first = RenditionProgress.firstDate(of: playlist)
        return markers.take(playlist.dateRanges, dates: rendition.dates, first: first, at: arrival)
            .map { .marker($0) }
    }

    /// The cue tags of a segment that will not come, as markers where it would have begun.
    mutating func cueMarkers(_ tags: [String], at begin: Instant) -> [JournalEntry] {
        let ranges = tags.compactMap {
            DateRange(
                cueTag: $0, startMicroseconds: begin.microseconds, idBytes: Limits.markerIDBytes)
        }
        return markers.take(ranges, dates: SourceDates(), first: nil, at: begin).map { .marker($0) }
    }
}
