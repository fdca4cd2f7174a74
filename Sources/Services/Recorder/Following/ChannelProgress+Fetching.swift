import HLS
import Timeline

/// Which of the listed segments are fetched, and which have left their playlists before that.
extension ChannelProgress {
    /// All new segments are fetched if there is room for them; else the newest, so that the live edge goes
    /// on, and of the others the oldest, which leave the playlist first.
    mutating func chooseFetches(
        _ listing: inout Listing, of rendition: inout RenditionProgress, in playlist: MediaPlaylist,
        at arrival: Arrival, room: Int,
    ) {
        defer { rendition.regain(&listing, in: playlist, at: arrival) }
        guard listing.segments.count > room || !rendition.deferred.isEmpty else { return }
        listing.postponedCount = max(0, listing.segments.count - min(room, Limits.edgeSegments))
        rendition.deferred.add(listing.segments.prefix(listing.postponedCount))
        let limit = max(0, room - Limits.edgeSegments)
        let taken = rendition.deferred.takeDue(in: playlist, rendition.alignment, limit: limit)
        listing.due = taken.due
        expired += taken.expired.map { UnfetchedSegment($0) }
    }

    /// The segments that left their playlists, since it was last asked, before they could be fetched.
    mutating func takeExpired() -> [UnfetchedSegment] {
        defer { expired = [] }
        return expired
    }

    /// What an earlier process was still to fetch is lost if a playlist was taken that does not list it.
    mutating func giveUpUnfetched(
        _ rendition: inout RenditionProgress, listed: [ListedSegment],
    ) {
        guard !rendition.unfetched.isEmpty else { return }
        let listed = Set(listed.map(\.identity))
        expired += rendition.unfetched.filter { !listed.contains($0.placed.identity) }
        rendition.unfetched = []
    }
}
