import Timeline

/// The limits of this module.
package enum Limits {
    /// The longest window that an operator can allow, seconds: the segments of a month are the most that one
    /// playlist may list.
    package static let windowSeconds: Int64 = 31 * 86_400
    /// The shortest pause between two segments that counts as a hole, microseconds.
    ///
    /// Rounding and clock adjustment stay well below it, and no segment is so short.
    static let holeTolerance: Int64 = 250 * Microseconds.perMillisecond
    /// A variant that lacks more than this part of a window, a twentieth, is listed after those that have it.
    static let partialShare: Int64 = 20
    /// A date is written again if the date that players compute is wrong by more than this, microseconds.
    static let dateTolerance: Int64 = 100 * Microseconds.perMillisecond
    /// Shorter differences come from how segments are cut and are not missing media, microseconds.
    static let timeTolerance: Int64 = Microseconds.perMillisecond
    /// EXT-X-DISCONTINUITY tags between two segments; more of them can only come from wrong data.
    static let discontinuitiesPerBoundary = 10_000
    /// How much longer than a window the retention must be, seconds.
    ///
    /// The first segments then stay until the last one is published and players have read it.
    static let firstSegmentReserveSeconds: Int64 = 300
    /// The minimum number of segments in a sliding playlist.
    static let slidingSegments = 6
    /// The minimum length of a sliding playlist, microseconds.
    static let slidingMicroseconds: Int64 = 30 * Microseconds.perSecond
    /// The minimum length of a sliding playlist, target durations (RFC 8216 §6.2.2).
    static let slidingTargets: Int64 = 3
    /// Target durations after which nothing more is expected at an instant.
    static let settlingTargets: Int64 = 3
    /// A channel that published nothing for this long has nothing pending, microseconds.
    static let inactiveAfter: Int64 = 300 * Microseconds.perSecond
    /// Segments after the one at which players start a sliding playlist.
    static let segmentsAfterStart = 2
    /// How far from its start a time-shifted playlist looks for segments, in target durations.
    static let timeshiftTargets: Int64 = 12
    /// How much of the published log an endless stream takes at once, microseconds.
    static let followedMicroseconds: Int64 = 60 * Microseconds.perSecond
    /// How much further a sliding playlist looks back each time it has found too little.
    static let slidingStep: Int64 = 4
    /// How far a sliding playlist looks back for segments at most, microseconds.
    static let slidingLookBack: Int64 = 86_400 * Microseconds.perSecond
    /// The highest bit rate that a playlist states, bits per second.
    ///
    /// It is below 2^53, which players in JavaScript read exactly. A source may state any number.
    static let bitRate: Int64 = 9_000_000_000_000_000
    /// EXT-X-GAP entries of one playlist: a day of entries of a second, and more.
    static let gapEntries: Int64 = 100_000
    /// Compression level of text that one answer uses.
    ///
    /// Level 1 costs a third of level 6 and is an eighth larger.
    static let gzipLevel = 1
    /// Longest text of one answer that is compressed with fixed Huffman codes, bytes.
    ///
    /// Multivariant playlists and the edges of a window are short. Longer texts become much smaller with
    /// dynamic codes.
    static let smallTextBytes = 8 << 10
    /// Bytes of the tags of markers that may be compressed on a server's thread: in half a millisecond.
    static let markerBytesAtOnce = 48 << 10
    /// Longest text that is sent in one piece, bytes: the server would join its pieces anyway.
    static let joinedTextBytes = 96 << 10
    /// Compression level of blocks, which many answers share.
    static let blockLevel = 6
    /// Days of markers that are read at a time for viewers: fewer than a server has connections.
    static let markerReads = 3
    /// EXT-X-DATERANGE tags of one playlist: a break in each minute of eight hours.
    static let markersPerPlaylist = 1000
    /// How long before its start a growing playlist may state a marker that is known in advance,
    /// microseconds.
    ///
    /// Also how long the end of an announced break may be overdue until a closed window with it is final.
    static let markerLead: Int64 = 600 * Microseconds.perSecond
    /// Segments of a block that are also compressed as a separate group, for playlists that begin or end
    /// within the block: larger groups save bytes, smaller groups save compression time.
    static let rowsPerGroup = 16
    /// Blocks in a strip, longest first: four hours and one.
    ///
    /// A strip begins at a multiple of its length, so that all windows share it. A random day has five of
    /// four hours, and few blocks around them.
    static let stripLengths = [16, 4]
    /// Consecutive blocks that share one digest in the entity tag of a playlist.
    ///
    /// Such a group begins at a multiple of this number. Each strip length is a multiple of it, so the tag is
    /// the same with and without strips.
    static let blocksPerDigest = 4
    /// Usual bytes of a playlist entry without other tags, rounded up.
    static let usualEntryBytes = 48
    /// The same of an I-frame playlist.
    static let usualKeyFrameEntryBytes = 80
    /// Bytes of a key frame of a block, with its text and the compressed forms of it.
    static let keyFrameBytes = 120
    /// How far back a key frame is looked for where the segment of an instant has none before it,
    /// microseconds: longer than any group of pictures.
    static let keyFrameLookBack: Int64 = 60 * Microseconds.perSecond
    /// Quarters whose key frames are measured, in memory: a day of 200 channels, two megabytes.
    static let keyFrameRates = 20_000
}

/// The limits of what is cached.
extension Limits {
    /// Bytes of all blocks: some hundred days of one rendition.
    static let blockBytes = 256 << 20
    /// From this length on a window counts as long, microseconds: a day and what is read around it.
    static let longWindow: Int64 = 90_000 * Microseconds.perSecond
    /// Long windows read at a time; a month is some 80 MB per rendition.
    static let longWindowsAtOnce = 2
    static let longWindowsPerClient = 1
    /// Long windows that may wait for their turn.
    static let longWindowsWaiting = 64
    /// Target durations for which a block keeps its peak; usually all answers have the same.
    static let targetsPerBlock = 4
    /// Turns in which windows are read from the catalogue, and how many of them one client may have: two days
    /// of up to four renditions, or one of eight.
    static let coldTurns = 4
    static let coldTurnsPerClient = 2
    /// Blocks that are read in one turn, some 12 MB: a day of four renditions.
    ///
    /// Beyond that a window takes two turns.
    static let blocksPerTurn = 400
    /// Windows that may wait for their turn.
    static let coldWindowsWaiting = 256
    /// Windows and searches of one client that may wait: a player asks for several renditions at once.
    static let clientWindowsWaiting = 16
    /// How long a window may wait for its turn.
    static let turnTimeout = Duration.seconds(2)
    /// How many turns a window takes when so many of its blocks are missing.
    static func turns(forBlocks count: Int) -> Int {
        count > blocksPerTurn ? coldTurnsPerClient : 1
    }
    /// A window is short if at most this many of its blocks are missing, as for a live playlist.
    ///
    /// Short windows have turns of their own, so they do not wait for windows of a day.
    static let shortWindowBlocks = 16
    /// Turns in which short windows are read from the catalogue, each some milliseconds, and how many of them
    /// one client may have.
    static let shortTurns = 4
    static let shortTurnsPerClient = 2
    /// Short windows that may wait for their turn: as many as a server has answers under way.
    static let shortWindowsWaiting = 512
    /// The same of one client, which may be a cache: half of the connections of one address.
    static let clientShortWindowsWaiting = 128
    /// Statements that read blocks for windows at a time: they leave connections to everything else that
    /// asks the database, such as readiness and operators.
    static let blockReads = 4
    /// Slices of blocks that are composed without a turn: about half a millisecond.
    static let piecesWithoutTurn = 100
    /// Slices of blocks that are composed on the thread that asks: about a tenth of a millisecond.
    static let piecesAtOnce = 16
    /// Blocks whose text is written, or compressed, without a turn: about a millisecond.
    static let textsWithoutTurn = 4
    /// Entries without a shared text that are written without a turn: about a millisecond.
    static let entriesWithoutTurn: Int64 = 4000
    /// Bytes of a text that are compressed without a turn, if other answers do not share them: about two
    /// milliseconds.
    static let ownBytesWithoutTurn = 128 << 10
    /// Cues of a thumbnail track that are written without a turn: about a millisecond.
    static let cuesWithoutTurn: Int64 = 1000
    /// Blocks whose texts one of several parallel tasks writes or compresses: about six hours.
    ///
    /// For I-frame playlists the task first reads the key frames of these blocks.
    static let textsPerTask = 25
    /// Peaks of blocks that are measured on the thread that asks, each a few microseconds.
    static let peaksAtOnce = 8
    /// Long compositions that may wait for their turn.
    static let compositionsWaiting = 512
    /// Searches for what is recorded near a window, at a time, of one client, and waiting.
    static let searchesAtOnce = 2
    static let searchesPerClient = 1
    static let searchesWaiting = 64
    /// Results of such searches in memory.
    static let cachedSearches = 4096
    /// Spans that a 404 offers.
    static let spansOffered = 5
    /// Spans nearest to some quarters of an hour that are kept, to offer those nearest to a window there.
    static let nearestSpans = 60
    /// How long the spans that a 404 offers may lag behind the recording.
    static let nearestSpansAge = Duration.seconds(10)
    /// The newest rows of channels that are read again each time: a lower row may be committed later.
    static let lateRows: Int32 = 100
    /// Bytes of a block without its segments, with its slot in the block index of its channel: 280 bytes
    /// if an adjacent block is in memory too, else 900.
    static let blockOverhead = 1280
    /// Bytes of an initialization vector, an array of sixteen bytes on the heap.
    static let vectorBytes = 48
    /// Bytes of an entry's text and its compressed forms, strips among them.
    static let entryBytes = 84
    /// Bytes of an EXT-X-KEY line.
    static let keyLineBytes = 128
    /// Bytes of a cue tag beside its text, which is there as a value and in the block's lines.
    static let cueTagBytes = 64
    /// Bytes of a format: a few short strings.
    static let formatBytes = 512
    /// The part of a channel whose markers are read at a time, microseconds: a day.
    static let markerDay: Int64 = 86_400 * Microseconds.perSecond
    /// Markers of a day that playlists can state, the oldest ones: one every fifteen seconds.
    ///
    /// For each new marker, all markers of its day are read again before the live edge moves.
    static let markersPerDay = 6_000
    /// Days of markers in memory, and markers of all of them together.
    static let cachedMarkerDays = 2000
    static let cachedMarkers = 100_000
    /// Quarters of an hour read at once: a day and what is read around it.
    static let quartersAtOnce = 100
    /// Quarters of an hour read by one query: while the database reads one half of a day, the other one is
    /// unpacked.
    static let quartersPerLoad = 50
    /// Quarters whose versions are read at a time.
    static let versionsAtOnce = 4096
    /// Changed blocks that are read again at a time; others are dropped and read on request.
    static let refreshedAtOnce = 32
    /// Time after the last use in which a changed block is read again, instead of being dropped, and in which
    /// a channel is followed.
    static let recentUse = Duration.seconds(60)
    /// Two uses of a block count as two only if at least this much time lies between them.
    ///
    /// One answer may use a block several times.
    static let usedAgainAfter = Duration.seconds(1)
    /// A block that was not used for this long counts as one that was used once.
    static let reusedFor = Duration.seconds(600)
    /// Reused blocks that one call skips before it drops one of them: about a tenth of a millisecond.
    static let reusedBlocksSkipped = 64
    /// Blocks that are compared to drop one of them.
    static let blocksCompared = 16
    /// Cached formats; a channel has few, but thousands if its key changes every minute.
    static let cachedFormats = 20_000
    /// Cached channels and heads; above this the oldest are dropped.
    static let cachedChannels = 4096
    /// Block indexes of channels in memory; above this all are made again.
    static let cachedBlockIndexes = 4096
    /// Templates of multivariant playlists in a block index: one for each set of renditions and formats.
    static let templatesPerBlockIndex = 4
    /// After this time a cached channel or head is read again.
    static let freshnessLifetime = Duration.seconds(2)
    /// Pause between two polls for changed channels; shorter than `freshnessLifetime`.
    static let pollInterval = Duration.seconds(1)
    /// Heads that are read again at a time after announced commits.
    static let headReaders = 4
    /// Minimum time between two queries of a node that ask whether its heads are current.
    ///
    /// Only a node among several asks.
    static let confirmationPause = Duration.milliseconds(25)
    /// How long a growing playlist waits for this confirmation.
    static let confirmationWait = Duration.milliseconds(500)
    /// How long a caller with a stale value waits for a read.
    static let readTimeout = Duration.seconds(1)
    /// The same of a caller without a value: as long as a statement waits for a connection.
    static let firstReadTimeout = Duration.seconds(10)
    /// Callers without a value that may wait while the catalogue fails: an eighth of the answers that a
    /// server makes at a time, which players of known channels need too.
    static let firstReadsWhileFailing = 64
    /// After a failure, callers with a stale value do not read again for this long.
    static let retryPause = Duration.seconds(1)
    /// Announced commits per channel that wait for the head to be read.
    static let pendingChanges = 64
    /// Watermarks per channel for which it is stored when they were first seen.
    static let trackedWatermarks = 256
}
