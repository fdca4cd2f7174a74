import Journal

/// What a playlist led to.
struct Listing: Sendable {
    /// New segments in order, with their times; those under EXT-X-GAP are among them.
    var segments: [ListedSegment] = []
    /// How many of them, from the first on, are not fetched in their turn to be published, as there are more
    /// than there is room for.
    var postponedCount = 0
    /// Those of them, and of earlier playlists, whose turn has come; and those that were gaps before.
    var due: [ListedSegment] = []
    /// Listed segments of which an earlier recorder has stored a part.
    var parts: [(segment: ListedSegment, held: StoredPart)] = []
    /// The new segments that are fetched at once.
    var prompt: ArraySlice<ListedSegment> { segments.dropFirst(postponedCount) }
    /// Source runs, losses and markers that were decided with them.
    var news: [JournalEntry] = []
    /// The segment whose bytes tell a stale playlist from a restart, or missing media from a step of a
    /// clock.
    var probe: ListedSegment?
    /// Why a source run began; nil when none did.
    var runCause: String?
    /// Not all new entries were taken: the same playlist is judged again.
    var isCut = false
    /// The playlist was ignored; when it comes again it is judged again.
    var isStale = false
}
