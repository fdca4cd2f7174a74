/// A segment as playlists need it; it is small, because a day has twenty thousand segments.
///
/// Public as `Instant` is: else each use of `end` or `mediaDuration` elsewhere would copy the segment.
public struct RecordedSegment: Sendable, Equatable {
    public var start: Instant
    /// The length of its time, microseconds, more than zero.
    public var duration: Int64
    /// The published sequence number within the rendition; nil if the segment is only in the archive.
    package var number: Int64?
    /// The discontinuity sequence of the channel to which the segment belongs.
    package var discontinuitySequence: Int32
    package var revision: Int16
    package var formatID: Int32
    package var flags: SegmentFlags
    /// Microseconds, at most ten minutes; 0 if nothing was measured.
    public private(set) var measured: Int32 = 0
    package var storedBytes: Int64
    package var plainBytes: Int64
    package var iv: [UInt8]?
    /// The source's cue tags before the segment, as received.
    package var cueTags: [String]

    package init(
        start: Instant, duration: Int64, number: Int64?, discontinuitySequence: Int32, revision: Int16 = 0,
        formatID: Int32,
        flags: SegmentFlags = [], storedBytes: Int64, plainBytes: Int64, iv: [UInt8]? = nil,
        cueTags: [String] = [],
    ) {
        self.start = start
        self.duration = duration
        self.number = number
        self.discontinuitySequence = discontinuitySequence
        self.revision = revision
        self.formatID = formatID
        self.flags = flags
        self.storedBytes = storedBytes
        self.plainBytes = plainBytes
        self.iv = iv
        self.cueTags = cueTags
    }

    @inlinable public var end: Instant { start + duration }
    /// How long its media play if that differs from its time, microseconds.
    package var measuredDuration: Int64? {
        get { measured > 0 ? Int64(measured) : nil }
        set { measured = Int32(clamping: newValue ?? 0) }
    }
    /// How long its media play by the best that is known, microseconds: what EXTINF says.
    @inlinable public var mediaDuration: Int64 { measured > 0 ? Int64(measured) : duration }
    package var window: TimeWindow { TimeWindow(begin: start, end: end) }
}
