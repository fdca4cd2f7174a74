/// A segment with everything that holds for it, so that it can stand anywhere in a list.
///
/// Once a list has given a map or a bit rate it cannot take it back: a later segment without one is not
/// expressible in HLS, and writing such a list does not read back as the same value.
package struct MediaSegment: Sendable, Equatable {
    package var uri: String
    /// EXTINF; 0 when the list gives nothing usable, and the media must be measured.
    package var durationMicroseconds: Int64
    package var title: String?
    package var byteRange: ByteRange?
    /// EXT-X-DISCONTINUITY tags before the segment; two in a row are two epochs.
    package var discontinuityCount: Int
    /// Keys in force, one for each KEYFORMAT, the latest last; empty when the segment is clear.
    package var keys: [Key]
    /// The map in force, with the keys that were in force for it.
    package var map: MediaMap?
    /// EXT-X-PROGRAM-DATE-TIME in microseconds since 1970 UTC, only where the list has one.
    package var programDateTimeMicroseconds: Int64?
    /// Whether the source says that the segment does not exist.
    package var isGap: Bool
    /// Kilobits a second of the EXT-X-BITRATE in force.
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

    package var partCount: Int { partLines.count }
}
