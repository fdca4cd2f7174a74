/// The limits of this module.
package enum Limits {
    /// The target duration, seconds, by which a channel that has none yet is judged.
    static let minimumTargetSeconds = 4
    /// How old a reported status may be, seconds: three reports may be lost.
    static let reportSeconds = 20.0
    /// How long a segment that is still to be fetched keeps a window from being final: its recorder may have
    /// ended without reporting it.
    static let listedHours = 6
    /// The newest source runs of a rendition, among which those that reach furthest in time are searched.
    ///
    /// The newest ids alone do not tell: a node that was cut off while it recorded may have made them.
    static let resumedRuns: Int32 = 32
    /// Identities read per source run when a recorder resumes: more than most source playlists list.
    static let resumedSegments = 1000
    /// The same where few are enough: twice what nearly all playlists list, so that many channels resume
    /// within seconds.
    static let briefResumedSegments = 120
    /// The same with those that the journal may hold too.
    static let knownSegments = 10_000
    /// The newest of them that are read with their digests: a source that starts its numbers again is told by
    /// the newest segment that it lists under a known number.
    static let knownDigests: Int64 = 400
    /// Segments read by one scan of quarters; a day of one-second segments fits.
    static let segmentsPerScan = 100_000
    /// Scans that read the quarters of a range that are not packed; more runs of them are read as one.
    static let scansPerRead = 4
    /// Bytes of a packed quarter; one with more, because of many cue tags, is read as rows.
    static let packedBytes = 1 << 18
    /// How long after its end a quarter counts as closed, microseconds: late segments have entered.
    static let packingDelay: Int64 = 60_000_000
    /// Quarters that are packed in one round, changed ones first.
    static let packedPerRound = 1024
    /// Consecutive quarters, and quarters in all, that are read and packed with one statement: a few hundred
    /// kilobytes.
    static let packedPerStatement = 32
    /// Summaries that one round examines for quarters that are not packed: a year of a rendition has 35,000.
    static let examinedPerRound: Int64 = 4096
    /// Changed quarters that are kept until they are packed; others are found by examining summaries.
    static let changedQuarters = 20_000
    /// The newest segments per rendition that are not stored yet and whose times a channel head reads.
    ///
    /// Older ones are read as one span of time.
    static let pendingSegments: Int64 = 2000
    /// Times per rendition of segments that are not stored yet, read with one channel head; what is older is
    /// one more.
    static let pendingSpans: Int64 = 1000
    /// Newest segments per rendition from which the lag of a channel is measured.
    static let arrivalSegments = 50
    /// How far back these segments are searched, microseconds; a rendition that stopped earlier is ignored.
    static let arrivalSpan: Int64 = 3_600_000_000
    /// How long a marker without an end counts that ends when the next one of its class begins, microseconds.
    static let openMarker: Int64 = 86_400_000_000
    /// Markers that are compared with those of a batch: of the same id, or of a class that may end others.
    static let knownMarkers = 10_000
    /// Markers of a channel that one statement reads: a break every minute for a day.
    static let markersPerRead = 2000
    /// Gaps, spans, markers, and segments with cue tags, in one timeline report; one with more ends earlier.
    static let timelineEntries = 10_000
    /// The shortest hole of a leading rendition, microseconds, that another rendition may fill in a report.
    static let replacedVariant: Int64 = 60_000_000
    /// The most such holes in one report, of all renditions together: each costs a statement.
    static let replacedVariants = 100
    /// Channels in a list for viewers.
    static let listedChannels = 10_000
    /// Channels in one measurement.
    static let measuredChannels = 10_000
    /// A published log that ends no further ahead of now need not be reanchored, microseconds: clocks of
    /// hosts differ by seconds.
    static let reanchorMargin: Int64 = 60_000_000
    /// How long identities are kept after the source run has moved on, hours.
    static let identityHours = 48
    /// Identities or formats that one statement examines: less than a second of work, so that no time limit
    /// is reached.
    static let prunedPerStatement: Int64 = 10_000
    /// Such statements in one call: ten million identities, which is more than ten days of 100 channels.
    static let pruningSteps = 1000
    /// The same for formats, which have no index by age: 100,000 in a call, a few tenths of a second.
    static let formatSteps = 10
    /// Calls, an hour of rounds, after which all days are looked at, and the pruning of identities begins
    /// with the oldest: one that stayed as the newest of its source run may have become older than another.
    static let pruningCalls = 120
    /// A call stops looking for empty days after this many past days with segments.
    static let filledDays = 8
    /// How long the row of a stopped node is kept, days: an operator may ask when it last ran.
    static let stoppedNodeDays = 7
    /// How far ahead of now an empty day must lie to be dropped, microseconds: nodes make some days ahead of
    /// their own clocks.
    static let futureDayLimit: Int64 = 7 * 86_400_000_000
    /// How long the detachment of an empty day waits for transactions that began before.
    ///
    /// A purge takes half a minute and more. What is not done then is completed in the next round.
    static let detachingTime = Duration.seconds(60)
    /// How long the completion of an interrupted detachment waits; no partition can be made meanwhile.
    static let finalizingTime = Duration.seconds(5)
    /// Source runs that one statement examines.
    static let runsPerStatement: Int64 = 500
    /// How far EXTINF of a segment may be off from what its media play, microseconds: frames that begin in
    /// the next segment.
    static let mediaTolerance: Int64 = 100_000
    /// Changes that may wait for a consumer; after that it has to read everything again.
    static let waitingChanges = 1_000
    /// Quarters that an announcement lists; the text stays far below PostgreSQL's limit of 8,000 bytes.
    static let announcedQuarters = 128
    /// How long expired tokens are listed, microseconds: 30 days.
    static let expiredTokens: Int64 = 30 * 86_400_000_000
    /// How long revocations of expired tokens are kept, microseconds: a day, for clocks that differ.
    static let expiredRevocations: Int64 = 86_400_000_000
    /// Attempts to commit a batch if a partition is dropped at the same time.
    static let partitionTries = 3
    /// Microseconds of recording that expire in one transaction; a day of one rendition is some 20,000 rows.
    ///
    /// The channel is locked meanwhile, and publishing must not wait longer than a moment.
    static let expiredPerTransaction: Int64 = 86_400_000_000
    /// Nearest quarters in which a 404 response looks for spans to offer: two days.
    static let quartersOffered = 192
    /// Renditions that tell together what a channel holds: more than a source has variants.
    static let coveringRenditions: Int64 = 16
    /// Ids in a row of formats in use that are passed over for a new one: a format or two of each channel.
    static let formatIDsPassedOver = 10_000
}
