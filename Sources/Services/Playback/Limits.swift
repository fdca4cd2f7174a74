import Timeline

/// The bounds of this module.
package enum Limits {
    /// The longest window that an operator can allow, seconds: the catalogue reads a day of one-second segments at once.
    static let windowSeconds: Int64 = 86_400
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
    static let discontinuitiesPerJoint = 10_000
    /// A sliding list has at least so many segments.
    static let slidingSegments = 6
    /// A sliding list is at least so long, microseconds.
    static let slidingMicroseconds: Int64 = 30 * Microseconds.perSecond
    /// Target durations after which nothing more is expected for a moment.
    static let settlingTargets: Int64 = 3
    /// A channel that has published nothing for so long has nothing under way, microseconds.
    static let quiet: Int64 = 300 * Microseconds.perSecond
    /// How long what is known of a channel is used without asking again, microseconds.
    static let directoryAge: Int64 = 2 * Microseconds.perSecond
    /// Channels kept in mind at once; beyond it they are asked for again.
    static let directoryEntries = 4096
    /// Segments that are listed and not stored yet, read for one channel.
    package static let pendingSegments = 1000
    /// Compression of playlists: 1 costs a third of 6 and is an eighth larger.
    static let gzipLevel = 1
}
