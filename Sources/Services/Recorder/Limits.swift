/// The bounds of this module.
enum Limits {
    /// Bytes of a playlist, decoded: 48 hours of two-second segments with long URLs.
    static let playlistBytes = 16 << 20
    /// Bytes of an `ETag` or `Last-Modified` that is kept to ask whether a playlist has changed.
    static let validatorBytes = 512
    /// Bytes of one segment: half a minute at 100 Mb/s.
    static let segmentBytes = 400 << 20
    /// Bytes of a file that holds many segments and whose origin answers with all of it: a day at 12 Mb/s.
    ///
    /// The bytes before a segment are read and dropped; the bytes after it are not read.
    static let sourceFileBytes = 128 << 30
    /// Bytes of an initialization section.
    static let initializationBytes = 4 << 20
    static let initializationTimeout = Duration.seconds(15)
    /// Bytes of a kept segment that are read at once.
    static let pieceBytes = 256 << 10
    /// Bytes of a key response: 16 are right; a larger size, such as that of a web page, is in the error.
    static let keyBytes = 4096
    /// How long a listed segment waits for its key before its bytes are fetched without one: less than any
    /// playlist lasts.
    static let keyPatience = Duration.seconds(3)
    /// How long a key may take that segments wait for already.
    static let keyTimeout = Duration.seconds(10)
    /// How long newly listed segments do not request a missing key again.
    static let keyMissed = Duration.seconds(5)
    /// The pause after a failed request for a key; it doubles each time up to the longest.
    static let keyPause = Duration.milliseconds(500)
    static let longestKeyPause = Duration.seconds(30)
    /// The pause between two failed requests for keys of a channel, however many are missing.
    static let keyRequestSpacing = Duration.milliseconds(200)
    /// How long a segment waits for its key: half a night, in which somebody may mend the key server.
    static let keyWait = Duration.seconds(6 * 3600)
    /// Segments of a channel that wait for keys: three renditions of two-second segments for some four hours.
    ///
    /// Beyond it the oldest give way.
    static let segmentsWithoutKey = 20_000
    /// The pause before a failed append to the journal is repeated.
    static let journalPause = Duration.seconds(1)
    /// Failed attempts to open a source before the next one is tried.
    static let sourceTries = 2
    /// The pause between two attempts to open a source: the next source's playlist moves on meanwhile.
    static let openingPause = Duration.milliseconds(500)
    /// A failed attempt that took longer is not repeated: the next source is tried instead.
    static let openingPatience = Duration.seconds(1)
    /// How long to wait before a preferred source is checked again after a failover.
    ///
    /// Each check needs a connection, and providers count connections.
    static let failbackPause = Duration.seconds(60)
    /// The same after it was taken back and failed again several times.
    static let longestFailbackPause = Duration.seconds(900)
    /// How long a source must deliver after a failback before its failback pause is reset.
    static let stableFailback = Duration.seconds(600)
    /// How long the other renditions of a source wait for the playlist of the first one.
    static let leaderLead = Duration.seconds(2)
    /// The shortest interval between two reads of a multivariant playlist, however many of its URLs fail.
    static let renewalPause = Duration.seconds(10)
    /// How long before a token expires the URLs with it are renewed, microseconds; at most a quarter of the
    /// time that it has left.
    static let tokenLead: Int64 = 60_000_000
    /// The longest time for which a signed URL can be said to hold, seconds: ten years.
    static let longestSignature: Int64 = 315_360_000
    /// Tries for a segment that is not whole before it is taken as it is if it does not grow: three seconds.
    static let triesForWhole = 5
    /// Bytes that tell a segment from others: tables and headers at its beginning are alike in all of them.
    static let knownBeginning: Int64 = 4096
    /// The longest pause between two tries for a segment that is not whole.
    static let longestPauseForWhole = Duration.seconds(30)
    /// Incomplete segments in a row without better bytes, after which none are expected for later ones.
    static let incompleteInARow = 3
    /// Segments whose measured durations are remembered, to tell a part from a wrong EXTINF.
    static let comparedSegments = 32
    /// The least percentage of its length at which a segment counts as whole, if it was not seen to grow.
    static let wholePercentage: Int64 = 70
    /// The shortest missing end that counts, microseconds: tracks end at different times.
    ///
    /// For a segment that was not seen to grow, and whose end is known from the start of the next one.
    static let missingEnd: Int64 = 500_000
    /// Failed tries for segments after which a source counts as down although its playlist still grows.
    static let missesInARow = 3
    /// How long a playlist is requested at the target of a redirect before its own URL is requested again.
    static let redirectTime = Duration.seconds(300)
    /// How often a multivariant playlist is read again when nothing fails, to notice new renditions.
    static let renewalInterval = Duration.seconds(300)
    /// The bandwidth of a redundant stream may differ by this part: the steps of a ladder are larger.
    static let redundantBandwidthShare = 20
    /// Segments taken when a source is seen for the first time; older ones of a longer playlist are left.
    static let backlogSegments = 2000
    /// Segments fetched at once for one rendition.
    static let parallelFetches = 4
    /// Segments fetched at once including slow ones, so that a few that hang do not stop newer ones.
    static let parallelFetchesWithSlow = 8
    /// Listed segments that wait to be fetched in one rendition; more are taken when there is room again.
    static let waitingSegments = 4000
    /// The newest listed segments, which are fetched first when there is no room for all.
    static let edgeSegments = 100
    /// Identities remembered to tell a stale playlist from a restart: several playlists of usual length.
    static let recentEntries = 400
    /// How long an address stays in doubt, in target durations.
    ///
    /// Whether a new source run has begun is decided before that.
    static let doubtfulTargets: Int64 = 4
    /// Markers of one playlist that are looked at, the last ones: a break every minute for a day.
    ///
    /// Also how many markers that began more than an hour ago may become known within an hour.
    static let listedMarkers = 2000
    /// Markers of a channel that are held in memory, to know what is new of them.
    static let heldMarkers = 4000
    /// Newer markers of a channel that may become known within an hour: sources list a few for each break.
    static let markersPerHour = 1000
    /// Bytes of a marker's id.
    static let markerIDBytes = 256
    /// Bytes of the attributes of one of its tags: splice information has some hundred, those of vendors a
    /// few thousand.
    static let markerBytes = 8 << 10
    /// Bytes of the attributes that all tags of a marker may say together: the tags of a break state splice
    /// information two or three times.
    static let mergedMarkerBytes = 4 * markerBytes
    /// Changes between the source's dates and the timeline that are known at a time.
    static let sourceDates = 64
    /// The smallest change of the source's dates that moves markers, microseconds.
    static let markerTolerance: Int64 = 20_000
    /// Bytes of the tags that are kept of one segment besides those of the standard: splice information may
    /// come in several forms at once, and in base64 rarely has more than a few hundred.
    static let keptTagByteCount = 4 << 10
    /// Bytes that a tag counts besides its text.
    static let tagByteCount = 64
    /// Segments given up in their turn whose cue tags stand before others: they may still be stored.
    static let carriedTags = 64
    /// Playlists whose entries are remembered.
    static let recentPlaylists = 4
    /// How many entries a rendition may list beyond the leading one and still use the leading one's starts.
    static let estimatedStarts = 3
    /// How long after a restart a playlist from before it may still appear.
    static let oldPlaylists = Duration.seconds(600)
    /// Facts (segments and losses) of one batch: a backlog goes in as several batches, so that the row of the
    /// channel in the table `line` is locked for moments only.
    static let factsPerBatch = 100
    /// Facts of all channels in one transaction; it may exceed this by one batch.
    static let factsPerTransaction = 2000
    /// Batches that are committed alone at a time: half of the recorder's connections.
    static let batchesAlone = 2
    /// Pause between two transactions, for each channel with recent facts: few channels hardly wait.
    static let transactionInterval = Duration.milliseconds(5)
    /// The longest such pause; with 200 channels of four-second segments a transaction has some 25.
    static let longestTransactionInterval = Duration.milliseconds(500)
    /// How long a channel counts as one that has had facts lately.
    static let recentCommit = Duration.seconds(10)
    /// Files of a channel that are known to be named by facts: some seconds of each rendition, until the
    /// catalogue has them.
    static let newestKeys = 64
    /// Facts of a channel held in memory at about a kilobyte each; what comes beyond waits in the journal
    /// only.
    static let heldFacts = 2000
    /// Listed segments, stored or not, that wait to be published: all that the first playlists of a source
    /// may show.
    static let heldSegments = renditions * backlogSegments + heldFacts
    /// Facts read back at once from the journal.
    static let factsReadBack = 500
    /// Facts held back when the journal is read, so that a download that took longer than its neighbours is
    /// put in order: several minutes of a few renditions.
    static let reorderedFacts = 500
    /// Numbers that a restarted recorder knows as held: as many as the longest source playlists list.
    static let heldNumbers = 10_000
    /// How long a node is believed alive after a heartbeat; with the time that a take-over needs it is less
    /// than what the shortest usual playlists list, three segments of four seconds.
    static let lease = Duration.seconds(6)
    /// Distance of two heartbeats: three may be lost.
    static let heartbeat = Duration.milliseconds(1500)
    /// The longest distance between two tries to record a channel.
    static let longestRestart = Duration.seconds(5)
    static let shortestRestart = Duration.seconds(1)
    /// How often the channels are compared with what is being recorded.
    static let supervisionInterval = Duration.seconds(1)
    /// How often the partitions of the coming days are made.
    static let partitionInterval = Duration.seconds(3600)
    static let partitionRetry = Duration.seconds(5)
    /// Distance between two batches of a channel that is not recorded here.
    static let unownedJournalPace = Duration.milliseconds(200)
    /// Segments of such a channel that are decrypted before they are written to the journal.
    static let openedAtOnce = 20
    /// How long a node that takes such a channel waits for its cancelled key requests to end.
    static let unownedKeysEnd = Duration.seconds(1)
    /// The newest facts of a channel that each round compares again, to find those that were lost.
    static let comparedFacts = 64
    /// The newest facts of a channel that are compared first after a start.
    ///
    /// Facts that were lost before the start may be older than some that were entered later.
    static let firstCompared = 1000
    /// Lines of the journal that are read at once to compare them.
    static let comparedPerRead = 1000
    /// Facts of all channels that one statement looks up; the last read of a journal may exceed it.
    static let comparedPerStatement = 5000
    /// Pause between two checks whether the catalogue has lost facts.
    static let lostFactInterval = Duration.seconds(60)
    /// Pause after each batch that is entered again, so that commits of new facts go on.
    static let reentryPause = Duration.milliseconds(50)
    /// Facts of a rendition from which its recording goes on while the catalogue is away.
    static let resumedFacts = 1000
    /// How long a start waits for the catalogue before it records without it.
    static let catalogueWait = Duration.seconds(2)
    /// How long the start of a channel waits for its turn to read from the catalogue where it stopped: many
    /// channels start at once, and the shortest usual playlists list more than this.
    static let headsWait = Duration.seconds(5)
    /// Pause between two checks whether the catalogue can be used.
    static let readinessPause = Duration.milliseconds(100)
    /// Channels that read at the same time where they stopped: fewer than there are connections, so that
    /// commits go on beside them.
    static let parallelStarts = 3
    /// Seconds in which the last facts are entered when a channel stops; what remains is in the journal.
    static let lastCommit = Duration.seconds(2)
    /// Renditions of a multivariant playlist that are given ids, to choose among them.
    static let namedRenditions = 256
    /// Renditions of one channel.
    static let renditions = 32
    /// Bytes of an attribute of a variant or an alternative that is kept as it was read.
    static let attributeBytes = 1024
    /// Initialization sections and keys remembered per channel, so that a known one is not fetched again.
    static let cachedObjects = 64
    /// Keys remembered of a URL whose bytes or token change: the one in use, and two before it.
    static let keysOfURL = 3
    /// The longest time for which a failed segment is fetched again, microseconds, even if its playlist lists
    /// it for longer.
    static let longestRetry: Int64 = 600_000_000
    /// Tries for a segment that is listed and cannot be fetched: ten minutes with the longest pause between
    /// two tries.
    static let triesWhileListed = 200
    /// The longest segment that is believed, microseconds.
    static let longestSegment: Int64 = 600_000_000
    /// The latest timestamp of media that is believed, units of 90 kHz: sums of it stay within their range.
    static let latestTimestamp: Int64 = 1 << 56

    /// The measured duration of media, microseconds; nil if it is not plausible.
    static func plausibleDuration(_ duration: Int64?) -> Int64? {
        duration.flatMap { (0...longestSegment).contains($0) ? $0 : nil }
    }

    /// The first timestamp of media, units of 90 kHz; nil if it is not plausible.
    static func plausibleTimestamp(_ timestamp: Int64?) -> Int64? {
        timestamp.flatMap { (0...latestTimestamp).contains($0) ? $0 : nil }
    }

    /// Microseconds that a segment's duration may be stretched or cut to bring drift back.
    static let slew: Int64 = 10_000
    /// The same where EXTINF is rounded to seconds, and there are dates.
    static let roundedSlew: Int64 = 500_000
    /// How far dates may differ from the sum of the durations, microseconds: some are in whole seconds.
    static let dateResolution: Int64 = 1_000_000
    /// How much a segment may be stretched or cut while drift is beyond its bound: its duration / this.
    ///
    /// EXTINF in whole seconds is off by up to a quarter of a two-second segment.
    static let firmSlewShare: Int64 = 4
    /// After so many segments without a measurement, a rendition counts as not measurable.
    static let segmentsToMeasure = 6
    /// A segment that was not measured is not cut below its duration divided by this.
    static let shortestShare: Int64 = 16
    /// The part of a new difference between source clock and arrival that is taken for drift, as a divisor:
    /// arrival jitters by a target duration.
    static let driftShare: Int64 = 32
    /// How far a time computed from a count of segments may be off: its length divided by this.
    static let countedShare: Int64 = 10
    /// Drift of dates that is left alone, microseconds: players tolerate it.
    static let tolerance: Int64 = 100_000
    /// Dates further than this from arrival are not believed, microseconds: viewers ask by the wall clock.
    static let plausibleOffset: Int64 = 3_600_000_000
    /// The same where the channel's settings say that the source's dates are right: a year.
    static let plausibleDates: Int64 = 31_536_000_000_000
    /// The smallest offset of dates that may be a wrong time zone, microseconds: ten minutes.
    static let zoneFrom: Int64 = 600_000_000
    /// The furthest that two places' clocks differ, microseconds: 26 hours.
    static let zoneUpTo: Int64 = 93_900_000_000
    /// What zones differ by, microseconds: quarters of an hour.
    static let zoneUnit: Int64 = 900_000_000
    /// How far from arrival dates may be after the zone is corrected, microseconds.
    static let zoneSlack: ClosedRange<Int64> = -300_000_000...60_000_000
    /// Stored segments whose measured durations correct EXTINF of the next segments, or replace it:
    /// the error of their mean adds up over a long playlist.
    static let measuredSegments = 60
    /// The shortest first playlist without dates, in segments, of which one is read to measure durations.
    ///
    /// In a shorter playlist a wrong EXTINF moves segments little, unless it says that they are long.
    static let minimumPlaylistToMeasure = 7
    /// The length from which a shorter playlist is measured too, microseconds: an EXTINF that is far too long
    /// would move its first segment by nearly as much.
    static let minimumLengthToMeasure: Int64 = 40_000_000
    /// The smallest number of measured segments from which a correction is computed.
    static let minimumMeasuredSegments = 3
    /// By how much a segment may be longer or shorter than EXTINF in whole seconds, microseconds: half a
    /// second and some frames.
    static let roundedDuration: Int64 = 600_000
    /// The largest shortfall that a timeline without dates corrects, microseconds.
    static let longestShortfall: Int64 = 30_000_000
    /// The largest error of EXTINF that is ignored: the duration divided by this.
    static let measuredSlack: Int64 = 100
    /// How far the media of a segment may be longer or shorter than its time before EXTINF says so,
    /// microseconds: less is drift that is being taken back, and frames that begin in the next segment.
    static let mediaTolerance: Int64 = 100_000
    /// A difference to the host's clock that is followed at once, microseconds.
    static let clockStep: Int64 = 1_000_000
    /// How long a larger difference must last before it is followed.
    static let clockStepDuration = Duration.seconds(300)
    /// Dates in a row that must continue the timeline before dates are used again after wrong ones.
    static let rightDates = 3
    /// How far a timeline may end ahead of the clock before the status says so, microseconds.
    static let timelineLead: Int64 = 120_000_000
    /// The smallest difference between the clocks of host and database that matters, microseconds.
    static let clockDifference: Int64 = 60_000_000
    /// How long before the host's time, or the source's dates, a recording may have ended to confirm them,
    /// microseconds.
    static let shortInterruption: Int64 = 600_000_000
    /// How late a segment may arrive to be probed for missing media, in `TimePlacing.step(target:)`.
    ///
    /// A stale playlist is hardly later.
    static let lateSteps: Int64 = 2
    /// How far the timestamps of two segments in a row may be off from the first one's duration,
    /// microseconds, besides a tenth of it; more is a jump.
    static let timestampSlack: Int64 = 500_000
    /// Time between two segments that is no hole, microseconds: sources count in milliseconds.
    static let joinTolerance: Int64 = 1000
    /// After this many segments, the growth rate of a playlist with wrong EXTINF is measured again.
    static let segmentsForPace = 16
    /// Numbers that a playlist may jump ahead within one source run; a larger jump starts another run.
    static let numberJump: Int64 = 1000
    /// Holes of a channel that are looked for in other sources; beyond it the oldest are left.
    static let holes = 200
    /// The shortest time for which other sources are asked about a hole.
    static let repairTime = Duration.seconds(600)
    /// The longest, where their playlists are longer; one of them is asked each time.
    static let longestRepairTime = Duration.seconds(6 * 3600)
    /// The pause before another source is asked for a hole: it may list the media a little later.
    static let firstRepair = Duration.seconds(2)
    /// The pause between two searches; it doubles each time up to the longest.
    static let repairPause = Duration.seconds(4)
    static let longestRepairPause = Duration.seconds(60)
    /// The same when all holes are older than `repairTime`: a look may read a whole segment.
    static let rareRepairPause = Duration.seconds(600)
    /// Tries for a segment of other sources of which a part is stored.
    static let repairTries = 3
    /// Segments of other sources that wait to be fetched, one after the other.
    static let waitingRepairs = 200
    /// Segments of a rendition whose media are known, to find them in another source's playlist.
    static let heldMedia = 300
    /// How many changed playlists must list a segment before bytes that do not begin with the stored ones are
    /// accepted: they show whether an encoder has started again.
    static let listingsForOtherBytes = 2
    /// How far the first timestamps of two renditions' segments of the same time are apart at most,
    /// microseconds: a few frames of audio.
    static let sameTimestamp: Int64 = 250_000
    /// How far the latencies of two sources of the same media may differ, microseconds.
    static let sourceLatency: Int64 = 90_000_000
    /// How long a playlist may take.
    static let playlistTimeout = Duration.seconds(15)
    /// How long the first try for a segment may take: half a minute of video at a quarter of its own rate.
    static let segmentTimeout = Duration.seconds(120)
    /// How long the first try for a segment may wait without a byte.
    static let segmentSilence = Duration.seconds(10)
    /// Downloads of a rendition at a time that may wait longer.
    static let patientFetches = 2
    /// How long a later try may take: as long as a failed segment is fetched again.
    static let longestSegmentTimeout = Duration.microseconds(longestRetry)
    /// Segments after a date step that the media did not confirm, in which further steps are ignored.
    static let unreliableDateSegments: Int64 = 64
    /// How often the first date of a playlist may move to a later segment before the dates count as frozen.
    static let frozenDateMoves = 2
    /// Date steps of a source run whose judgement is kept.
    static let judgedSteps = 16
    /// How long a segment may take at least, even if its playlist lists it no longer.
    static let shortestSegmentTimeout = Duration.seconds(4)
    /// Bits of a media sequence number that are kept; the sum of two such numbers does not overflow.
    static let numberMask: UInt64 = 1 << 62 - 1
    /// The least slack between held media and arrival when segments may be renumbered, microseconds.
    static let renumberedSlack: Int64 = 4_000_000
    /// The longest playlist that is always compared at its first segment after a renumbering: fewer segments
    /// are known of a short recording only.
    static let comparedAtFirst = 100
    /// Playlists in a row that may stay in doubt before their numbering counts as another one.
    static let doubtfulPlaylists = 2
    /// Tries to read a segment that tells a stale playlist from a restart.
    static let probeTries = 3
    /// The pause between two of them.
    static let probePause = Duration.milliseconds(500)
    /// Entries that share one append to the journal.
    static let entriesPerAppend = 100
    /// Distance between two batches of a channel that is recorded here.
    static let commitInterval = Duration.milliseconds(200)
    /// The pause before a batch is entered again while the catalogue is away; it doubles each time up to the
    /// longest.
    static let firstCommitRetry = Duration.milliseconds(200)
    static let longestCommitRetry = Duration.seconds(1)
    /// How long downloads that are under way may go on when a channel stops.
    static let drain = Duration.seconds(8)
    /// How long cancelled work of a channel that has stopped is waited for: a disk may never answer.
    static let abandonment = Duration.seconds(5)
    /// Kinds of deviations from the standard that a status lists.
    static let deviations = 20
    /// Pause between two reports of the statuses of all channels.
    static let reportInterval = Duration.seconds(5)
    /// Uses of sources whose connections are kept, as downloads of the former ones may still run.
    static let keptConnections = 4
}
