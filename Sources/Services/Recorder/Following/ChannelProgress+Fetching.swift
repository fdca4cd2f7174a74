import HLS
import Timeline

/// Which of the listed segments are fetched, and which have left their playlists before that.
extension ChannelProgress {
    /// Chooses the new segments that are fetched now.
    ///
    /// If the queue has no room for all, these are the newest, so that the live edge advances, and the oldest
    /// of the others, which leave the playlist first.
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

    /// Gives up segments that an earlier process had not fetched and that the accepted playlist no longer
    /// lists.
    mutating func giveUpUnfetched(
        _ rendition: inout RenditionProgress, listed: [ListedSegment],
    ) {
        guard !rendition.unfetched.isEmpty else { return }
        let listed = Set(listed.map(\.identity))
        expired += rendition.unfetched.filter { !listed.contains($0.placed.identity) }
        rendition.unfetched = []
    }
}
