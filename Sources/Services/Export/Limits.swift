import Processes

/// The bounds of this module.
package enum Limits {
    /// What ffmpeg may use for one download: copying a day of media takes a minute of processor time.
    static let packing = ProgramBounds(cpuSeconds: 3600, memoryBytes: 1 << 30)
    /// The longest transport stream that is packed, microseconds: its times wrap after 26.5 hours.
    package static let packedMicroseconds: Int64 = 26 * 3600 * 1_000_000
    /// How long a video may play before its separate audio begins, microseconds: ffmpeg holds it in memory
    /// and sends nothing until then.
    package static let audioDelay: Int64 = 10_000_000
    /// An audio segment belongs to a run of the video if they overlap by more than this, microseconds.
    ///
    /// Times of renditions differ by a few frames.
    static let audioOverlap: Int64 = 50_000
    /// How far the measured distance of audio and video may be from the catalogue's, ticks of 90 kHz.
    ///
    /// Beyond this the two are taken to have different time bases.
    static let audioDistanceTicks: UInt64 = 10 * 90_000
    /// Initialization sections that are kept; one has 1 to 4 KiB.
    static let cachedInitSections = 256
    /// Segments whose times are kept, each a few hundred bytes: first and last ones of continuous runs.
    static let cachedSegmentTimes = 16_384
    /// The latest time of fMP4 that is taken for one, ticks of 90 kHz: three thousand years.
    static let latestTicks: Int64 = 1 << 53
    /// How long a segment's times may last, ticks of 90 kHz: an hour.
    static let segmentTicks: Int64 = 3600 * 90_000
    /// How long a file may be whose audio is a rendition of its own, ticks of 90 kHz: four times the longest
    /// window.
    static let fileTicks: Int64 = 1 << 40
    /// Bytes of a segment that are read at once.
    static let pieceByteCount = 64 << 10
    /// Bytes of a transport stream in which a unit of each announced kind is looked for: a quarter of a
    /// minute of 8 Mbit/s.
    static let openingByteCount = 16 << 20
    /// Keys that one stream keeps in memory: a window has few, but a key may change with every segment.
    static let keys = 16
}
