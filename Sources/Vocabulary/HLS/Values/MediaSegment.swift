/// A segment with everything that applies to it, independent of its position in a playlist.
///
/// HLS cannot end a map or a bit rate once it is in force. A playlist in which a later segment has none does
/// not read back as the same value.
package struct MediaSegment: Sendable, Equatable {
    package var uri: String
    /// EXTINF; 0 when the playlist gives no usable duration and the media must be measured.
    package var durationMicroseconds: Int64
    package var title: String?
    package var byteRange: ByteRange?
    /// EXT-X-DISCONTINUITY tags before the segment.
    ///
    /// Two in a row count twice.
    package var discontinuityCount: Int
    /// Keys in force, one for each KEYFORMAT, the latest last; empty when the segment is clear.
    package var keys: [Key]
    /// The map in force, with the keys that were in force for it.
    package var map: MediaMap?
    /// EXT-X-PROGRAM-DATE-TIME in microseconds since 1970 UTC, only where the playlist has the tag.
    package var programDateTimeMicroseconds: Int64?
    /// Whether the source says that the segment does not exist.
    package var isGap: Bool
    /// Kilobits per second of the EXT-X-BITRATE in force.
    package var kilobitsPerSecond: UInt64?
    /// EXT-X-PART lines before the segment, verbatim.
    package var partLines: [String]
    /// Cue tags, tags this module does not know and comments before the segment, verbatim.
    package var unknownLines: [String]

    package init(
        uri: String, durationMicroseconds: Int64, title: String? = nil, byteRange: ByteRange? = nil,
        discontinuityCount: Int = 0, keys: [Key] = [], map: MediaMap? = nil,
        programDateTimeMicroseconds: Int64? = nil, isGap: Bool = false, kilobitsPerSecond: UInt64? = nil,
        partLines: [String] = [], unknownLines: [String] = [],
    ) {
        self.uri = uri
        self.durationMicroseconds = durationMicroseconds
        self.title = title
        self.byteRange = byteRange
        self.discontinuityCount = discontinuityCount
        self.keys = keys
        self.map = map
        self.programDateTimeMicroseconds = programDateTimeMicroseconds
        self.isGap = isGap
        self.kilobitsPerSecond = kilobitsPerSecond
        self.partLines = partLines
        self.unknownLines = unknownLines
    }
}
