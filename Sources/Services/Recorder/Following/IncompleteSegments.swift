import Catalogue
import HLS
import Timeline

/// What an earlier recorder has stored of segments that are not whole: the source may still list them.
struct IncompleteSegments: Sendable {
    private struct Entry {
        var window: TimeWindow
        var held: IncompleteSegment
    }

    private var entries: [Int64: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Records what is now known about a segment; nil means that it is complete.
    mutating func hold(_ part: KnownIncompleteSegment?, number: Int64, _ window: TimeWindow) {
        entries[number] = part.map { Entry(window: window, held: IncompleteSegment($0)) }
    }

    /// Gives those that a playlist lists before an index, in order; none is given twice.
    mutating func take(
        in playlist: MediaPlaylist, before end: Int,
    ) -> [(index: Int, number: Int64, window: TimeWindow, held: IncompleteSegment)] {
        defer { entries = [:] }
        return playlist.segments.indices.prefix(end).compactMap { index in
            guard let number = PlaylistFollower.number(playlist, index), let entry = entries[number],
                !playlist.segments[index].isGap
            else { return nil }
            return (index, number, entry.window, entry.held)
        }
    }
}
