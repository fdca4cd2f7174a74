import HLS
import Timeline

/// Segments that a source has listed under EXT-X-GAP: it may have them after all, and list them again under
/// the same numbers without the tag.
///
/// What was decided when they were first listed is kept.
struct GapSegments: Sendable {
    /// By number.
    private var segments: [Int64: ListedSegment] = [:]
    /// What an earlier process gave up, by number.
    private var lost: [Int64: (window: TimeWindow, isGap: Bool)] = [:]

    mutating func add(_ listed: some Sequence<ListedSegment>) {
        for segment in listed where segment.entry.isGap { segments[segment.identity.number] = segment }
    }

    /// An earlier process gave a segment up; it may be known that it was a gap.
    mutating func lose(_ number: Int64, _ window: TimeWindow, isGap: Bool) { lost[number] = (window, isGap) }

    /// A segment that was given up has come since.
    mutating func find(_ number: Int64) { lost[number] = nil }

    /// The entries of a process's first playlist that an earlier process gave up, with their windows.
    ///
    /// Only entries that are, or were, listed under EXT-X-GAP.
    mutating func recall(in playlist: MediaPlaylist) -> [(index: Int, window: TimeWindow)] {
        guard !lost.isEmpty else { return [] }
        defer { lost = [:] }
        return playlist.segments.indices.compactMap { index in
            guard let lost = PlaylistFollower.number(playlist, index).flatMap({ lost[$0] }),
                lost.isGap || playlist.segments[index].isGap
            else { return nil }
            return (index, lost.window)
        }
    }

    /// Adds segments that an earlier process recorded as gaps.
    mutating func add(recalled: [ListedSegment]) {
        for segment in recalled { segments[segment.identity.number] = segment }
    }

    /// Takes those that a playlist of the same source run lists without the tag, in order; those that it does
    /// not list any more are left out from now on.
    ///
    /// The numbers of the playlist are corrected by `alignment`.
    mutating func take(in playlist: MediaPlaylist, _ alignment: NumberAlignment) -> [ListedSegment] {
        guard !segments.isEmpty, let first = PlaylistFollower.number(playlist, 0) else { return [] }
        segments = segments.filter { $0.key >= first }
        return segments.keys.sorted().compactMap { number in
            let index = Int(number - first)
            guard playlist.segments.indices.contains(index), !playlist.segments[index].isGap,
                var segment = segments.removeValue(forKey: number)
            else { return nil }
            segment.entry = playlist.segments[index]
            segment.listedNumber = alignment.listedNumber(playlist, index)
            return segment
        }
    }
}

extension RenditionProgress {
    /// Adds segments that no longer have EXT-X-GAP to those that are due.
    ///
    /// Their turn to be published may have passed.
    mutating func regain(_ listing: inout Listing, in playlist: MediaPlaylist, at arrival: Arrival) {
        let recalled = gaps.recall(in: playlist)
        gaps.add(recalled: recalled.compactMap { relisted($0.index, of: playlist, at: $0.window, arrival) })
        let regained = gaps.take(in: playlist, alignment)
        gaps.add(listing.due)
        gaps.add(listing.prompt)
        listing.due += regained
    }
}
