import Journal

/// The result of judging one playlist.
struct Listing: Sendable {
    /// New segments in order, with their times; those under EXT-X-GAP are among them.
    var segments: [ListedSegment] = []
    /// How many of the first segments are postponed because the queue is full; they miss their turn to be
    /// published.
    var postponedCount = 0
    /// Postponed segments, of this or earlier playlists, that are fetched now; and segments that were gaps.
    var due: [ListedSegment] = []
    /// Listed segments of which an earlier recorder has stored a part.
    var parts: [(segment: ListedSegment, held: IncompleteSegment)] = []
    /// The new segments that are fetched at once.
    var prompt: ArraySlice<ListedSegment> { segments.dropFirst(postponedCount) }
    /// Source runs, losses and markers that were decided with them.
    var otherEntries: [JournalEntry] = []
    /// The segment whose bytes tell a stale playlist from a restart, or missing media from a step of a
    /// clock.
    var probe: ListedSegment?
    /// Nothing is new: an earlier process had listed all of the segments.
    var isOnlyRelisted = false
    /// Whether the playlist brought something new.
    var bringsNew: Bool { !segments.isEmpty && !isOnlyRelisted }
    /// Why a source run began; nil when none did.
    var runCause: String?
    /// Not all new entries were taken: the same playlist is judged again.
    var isIncomplete = false
    /// The playlist was ignored; when it comes again it is judged again.
    var isStale = false
}
