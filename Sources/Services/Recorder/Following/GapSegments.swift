import HLS
import Timeline

/// Segments that a source has listed under EXT-X-GAP: it may have them after all, and list them again under
/// the same numbers without the tag.
///
/// What was decided when they were first listed is kept.
struct GapSegments: Sendable {
    /// By number.
    private var segments: [Int64: ListedSegment] = [:]
    /// The times of segments that an earlier process gave up, by number: some may have been gaps.
    private var lost: [Int64: TimeWindow] = [:]

    mutating func add(_ listed: some Sequence<ListedSegment>) {
        for segment in listed where segment.entry.isGap { segments[segment.identity.number] = segment }
    }

    /// An earlier process gave a segment up.
    mutating func lose(_ number: Int64, _ window: TimeWindow) { lost[number] = window }

    /// Where a process's first playlist lists such segments under EXT-X-GAP, and the time that each has.
    mutating func recall(in playlist: MediaPlaylist, before end: Int) -> [(index: Int, window: TimeWindow)] {
        defer { lost = [:] }
        return playlist.segments.indices.prefix(end).compactMap { index in
            guard playlist.segments[index].isGap, let number = PlaylistFollower.number(playlist, index)
            else { return nil }
            return lost[number].map { (index, $0) }
        }
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
    /// What was listed under EXT-X-GAP, and is not any more, is fetched with what is due; its turn to be
    /// published may have passed.
    mutating func regain(_ listing: inout Listing, in playlist: MediaPlaylist) {
        let regained = gaps.take(in: playlist, alignment)
        gaps.add(listing.due)
        gaps.add(listing.prompt)
        listing.due += regained
    }
}
