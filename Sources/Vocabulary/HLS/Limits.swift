/// Bounds on a playlist that is read.
///
/// A playlist beyond one of them is refused, so that a hostile source costs little.
package struct ReadingLimits: Sendable, Equatable {
    /// Bytes of the whole text, decoded: two days of one-second segments with long URIs fit.
    ///
    /// Variables may add the same number of bytes.
    package var byteCount = 16 << 20
    /// Lines of the whole text: five for each one-second segment of two days.
    package var lineCount = 900_000
    /// Bytes of one line after variables are substituted: DRM keys as `data:` URIs reach tens of kilobytes.
    package var lineByteCount = 128 << 10
    /// Segments of a media playlist: more than 48 h of one-second segments.
    package var segmentCount = 200_000
    /// Bytes of memory for what is kept of a playlist, beside its text.
    ///
    /// A playlist of two days of one-second segments with titles takes about 40 MiB.
    package var memoryByteCount = 44 << 20
    /// Bytes of memory for unknown lines and parts, as a share of the above; lines beyond it are left out.
    package var keptLineByteCount = 12 << 20
    /// Comments before `#EXTM3U`: a text with more of them is not a playlist.
    package var openingCommentCount = 16
    /// Attributes of one tag, also of one DATERANGE merged from several tags: the standard names at most 23.
    package var attributeCount = 64
    /// Attributes of all tags: five for each of the keys below.
    package var totalAttributeCount = 250_000
    /// EXT-X-DATERANGE tags: a break every minute for two days, each with three tags.
    package var dateRangeCount = 10_000
    /// Tags of each of the other kinds that may occur often: there are about as many as renditions.
    package var renditionCount = 2_000
    /// EXT-X-KEY tags, and as many EXT-X-MAP tags, that do not repeat the one before: a new key for each
    /// four-second segment of two days.
    package var keyChangeCount = 50_000
    /// Keys in force at once, one for each KEYFORMAT: fewer than ten DRM systems are in use.
    package var keyCount = 16
    /// Variables of one playlist (EXT-X-DEFINE).
    package var variableCount = 256
    /// EXT-X-DISCONTINUITY tags before one segment: more than an encoder restarts within one playlist.
    package var discontinuityCount = 10_000
    /// Seconds of one segment.
    ///
    /// A longer one is measured from the media instead.
    package var segmentSeconds: Int64 = 86_400
    /// Target durations that a segment may claim before its duration is ignored.
    package var implausibleTargetDurations: Int64 = 10
    /// Years of a plausible date.
    ///
    /// Others are ignored and never become segment times.
    package var years: ClosedRange<Int64> = 1970...2999

    package init() {}

    /// The most tags of a kind; nil where lines and segments bound it.
    func maximumTagCount(_ tag: PlaylistTag) -> Int? {
        switch tag {
        case .dateRange: dateRangeCount
        case .media, .streamInformation, .iFrameStreamInformation, .sessionData, .sessionKey, .preloadHint,
            .renditionReport:
            renditionCount
        case .key, .map: keyChangeCount
        default: nil
        }
    }

    package static let standard = ReadingLimits()
}
