import Timeline

/// What goes into placing, and what comes out of it.
extension TimePlacing {
    /// What the playlist says of one new segment.
    struct Entry: Sendable {
        /// Microseconds, more than zero.
        var duration: Int64
        /// The source's date: the entry's own, or computed from a neighbour in the playlist.
        var programDateTime: Instant?
        /// Numbers are missing before it, or a new source run begins with it.
        var opensHole = false
        /// Numbers are missing before it, so time is missing too, even if its arrival hardly shows this.
        var lacksNumbers = false
        /// Its media follow those before it, however late it arrived.
        var follows = false
        /// The date expected by counting the missing numbers before it; nil when it is not known.
        var countedDate: Instant?
        /// EXT-X-DISCONTINUITY or the next date confirms a jump of its date, so it is not a single wrong
        /// date.
        var confirmsStep = false
        /// No media show whether EXTINF is right.
        var isUnmeasured = false
        /// EXTINF is wrong or in whole seconds: dates tell the duration better.
        var isRounded = false
        /// The start that the channel's leading rendition has for the same segment, when there are no dates.
        var sharedStart: Instant?
        /// Timestamps show that it is the same segment, whatever the numbers.
        var isSharedByMedia = false
        /// How far that start may be off before it counts, microseconds.
        var sharedSlack = Limits.tolerance
        /// Where its media begin on the timeline, as held segments show; nil when it is not known.
        var joinedStart: Instant?
    }

    struct Placement: Sendable, Equatable {
        var start: Instant
        var duration: Int64
        /// The clock stepped here: time is missing before the start.
        var hasStep: Bool
        /// Whether the step is only in the source's dates, not in arrival.
        var isStepOfDatesOnly = false
    }
}
