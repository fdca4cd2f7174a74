import Timeline

/// The bounds of this module.
package enum Limits {
    /// The longest window that an operator can allow, seconds: a month of segments is what one playlist may ever hold.
    package static let windowSeconds: Int64 = 31 * 86_400
    /// A stretch that lacks a track is left out as a hole when it is shorter, microseconds: a viewer loses less than by
    /// an answer that ends there.
    static let trackMissing: Int64 = 60 * Microseconds.perSecond
    /// A pause between two segments counts as a hole from here on, microseconds: rounding and slewing stay well below,
    /// and no segment is that short.
    static let holeTolerance: Int64 = 250 * Microseconds.perMillisecond
    /// A date is written anew when players would compute one that is off by more, microseconds.
    static let dateTolerance: Int64 = 100 * Microseconds.perMillisecond
    /// Shorter differences are the grain of segment cuts, not missing media, microseconds.
    static let grain: Int64 = Microseconds.perMillisecond
    /// EXT-X-DISCONTINUITY tags between two segments; more epochs without a segment mean a catalogue gone wrong.
    static let discontinuitiesPerBoundary = 10_000
    /// A sliding list has at least so many segments.
    static let slidingSegments = 6
    /// A sliding list is at least so long, microseconds.
    static let slidingMicroseconds: Int64 = 30 * Microseconds.perSecond
    /// Target durations after which nothing more is expected for a moment.
    static let settlingTargets: Int64 = 3
    /// A channel that has published nothing for so long has nothing under way, microseconds.
    static let quiet: Int64 = 300 * Microseconds.perSecond
    /// A sliding list looks back for its segments at most so far, microseconds.
    static let slidingLookBack: Int64 = 86_400 * Microseconds.perSecond
    /// Compression of what is one answer's own: 1 costs a third of 6 and is an eighth larger.
    static let gzipLevel = 1
    /// Compression of blocks, which is done once for many answers.
    static let blockLevel = 6
    /// Bytes of an entry without tags of its own, and a little more.
    static let usualEntry = 48
}

/// The bounds of what is kept in memory.
extension Limits {
    /// Bytes of all blocks: some hundred days of one rendition.
    static let blockBytes = 256 << 20
    /// A window counts as long from here on, microseconds: a day and what is read around it.
    static let longWindow: Int64 = 90_000 * Microseconds.perSecond
    /// Long windows read at once: one of a month is some 80 MB of each rendition.
    static let longWindowsAtOnce = 2
    /// Long windows that wait for their turn.
    static let longWindowsWaiting = 64
    /// Bytes of a block beside its segments.
    static let blockOverhead = 256
    /// Bytes of an initialization vector beside its segment: sixteen in an object of their own.
    static let vectorBytes = 48
    /// Bytes of an entry's text and its compressed form.
    static let entryBytes = 56
    /// Bytes of a line that names a key.
    static let keyLineBytes = 128
    /// Bytes of a state: a few short texts.
    static let formatBytes = 512
    /// Quarters of an hour read by one query: a day.
    static let quartersPerLoad = 96
    /// Quarters whose versions are asked for at once.
    static let versionsAtOnce = 4096
    /// Changed blocks that are read anew at once; the others are dropped and read when asked for.
    static let renewedAtOnce = 32
    /// A block that nobody asked for since then is not read anew when it changes.
    static let recentUse = Duration.seconds(60)
    /// States kept in mind: a channel has few, one whose key changes each minute thousands.
    static let cachedFormats = 20_000
    /// Channels, and heads of channels, kept in mind; the ones known for longest go first.
    static let cachedChannels = 4096
    /// How old what is known of a channel may be before it is asked for again.
    static let freshFor = Duration.seconds(2)
    /// Between two questions which channels have moved on; less than what may be known for.
    static let pollInterval = Duration.seconds(1)
    /// How long somebody waits who has something older to go by.
    static let readingTime = Duration.seconds(1)
    /// After a failure nobody tries again for so long who has something older to go by.
    static let retryPause = Duration.seconds(1)
    /// Announced commits of a channel that wait for its head to be read.
    static let pendingChanges = 64
    /// Watermarks of a channel that are remembered with the time they were seen at.
    static let trackedWatermarks = 256
}
