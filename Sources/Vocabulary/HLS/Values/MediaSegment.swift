/// A segment with everything that applies to it, independent of its position in a playlist.
///
/// HLS cannot end a map or a bit rate once it is in force. A playlist in which a later segment has none does
/// not read back as the same value.
package struct MediaSegment: Sendable, Equatable {
    package var uri: String
    /// EXTINF; 0 when the playlist gives no usable duration and the media must be measured.
    package var durationMicroseconds: Int64
    package var title: String?
    /// Shared with the segments beside it, because a playlist may have two hundred thousand of them.
    private var shared: SharedTags?
    /// EXT-X-PART lines before the segment, verbatim.
    package var partLines: [String]
    /// Cue tags, tags this module does not know and comments before the segment, verbatim.
    package var unknownLines: [String]
    /// EXT-X-DISCONTINUITY tags before the segment.
    ///
    /// Two in a row count twice.
    package var discontinuityCount: Int
    package var byteRange: ByteRange?
    /// Whether the source says that the segment does not exist, or says an impossible byte range for it.
    package var isGap: Bool
    /// EXT-X-PROGRAM-DATE-TIME in microseconds since 1970 UTC, only where the playlist has the tag.
    package var programDateTimeMicroseconds: Int64?

    package init(
        uri: String, durationMicroseconds: Int64, title: String? = nil, byteRange: ByteRange? = nil,
        discontinuityCount: Int = 0, keys: [Key] = [], map: MediaMap? = nil,
        programDateTimeMicroseconds: Int64? = nil, isGap: Bool = false, kilobitsPerSecond: UInt64? = nil,
        partLines: [String] = [], unknownLines: [String] = [],
    ) {
        let inForce = TagsInForce(keys: keys, map: map, kilobitsPerSecond: kilobitsPerSecond)
        self.init(
            uri: uri, durationMicroseconds: durationMicroseconds, title: title, byteRange: byteRange,
            discontinuityCount: discontinuityCount, shared: SharedTags(inForce),
            programDateTimeMicroseconds: programDateTimeMicroseconds, isGap: isGap, partLines: partLines,
            unknownLines: unknownLines)
    }

    init(
        uri: String, durationMicroseconds: Int64, title: String?, byteRange: ByteRange?,
        discontinuityCount: Int, shared: SharedTags?, programDateTimeMicroseconds: Int64?, isGap: Bool,
        partLines: [String], unknownLines: [String],
    ) {
        self.uri = uri
        self.durationMicroseconds = durationMicroseconds
        self.title = title
        self.shared = shared
        self.partLines = partLines
        self.unknownLines = unknownLines
        self.discontinuityCount = discontinuityCount
        self.byteRange = byteRange
        self.isGap = isGap
        self.programDateTimeMicroseconds = programDateTimeMicroseconds
    }
}

extension MediaSegment {
    /// Keys in force, one for each KEYFORMAT, the latest last; empty when the segment is clear.
    package var keys: [Key] {
        get { inForce.keys }
        set { inForce.keys = newValue }
    }

    /// The map in force, with the keys that were in force for it.
    package var map: MediaMap? {
        get { inForce.map }
        set { inForce.map = newValue }
    }

    /// Kilobits per second of the EXT-X-BITRATE in force.
    var kilobitsPerSecond: UInt64? {
        get { inForce.kilobitsPerSecond }
        set { inForce.kilobitsPerSecond = newValue }
    }

    /// Whether it has keys or a map.
    fileprivate var hasKeysOrMap: Bool {
        guard let tags = shared?.tags else { return false }
        return !tags.keys.isEmpty || tags.map != nil
    }

    private var inForce: TagsInForce {
        get { shared?.tags ?? TagsInForce() }
        set { shared = SharedTags(newValue) }
    }
}

extension MediaPlaylist {
    /// Whether any of its segments has keys or a map.
    package var hasKeysOrMaps: Bool { segments.indices.contains { segments[$0].hasKeysOrMap } }
}
