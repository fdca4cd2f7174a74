/// Bounds on a playlist that is read; passing one refuses the list, so that a hostile source costs little.
package struct ReadingLimits: Sendable, Equatable {
    /// Bytes of the whole text, decoded: two days of one-second segments with long URIs fit.
    ///
    /// Variables may put in as many again.
    package var byteCount = 16 << 20
    /// Lines of the whole text: segments carry about four each.
    package var lineCount = 1_000_000
    /// Bytes of one line after variables are put in: DRM keys as `data:` URIs reach tens of kilobytes.
    package var lineByteCount = 128 << 10
    /// Segments of a media playlist: 48 h of one-second segments and some.
    package var segmentCount = 200_000
    /// Attributes of one tag, also of one DATERANGE merged from several tags: the longest in the standard has 23.
    package var attributeCount = 64
    /// Keys in force at once, one for each KEYFORMAT: DRM systems in use are fewer than ten.
    package var keyCount = 16
    /// Variables of one playlist (EXT-X-DEFINE).
    package var variableCount = 256
    /// EXT-X-DISCONTINUITY tags before one segment: more than an encoder's restarts within one list.
    package var discontinuityCount = 10_000
    /// Seconds of one segment; what claims more is measured from the media instead.
    package var segmentSeconds: Int64 = 86_400
    /// Target durations that a segment may claim before it counts as absurd.
    package var absurdTargetDurations: Int64 = 10
    /// Years of a plausible date: others are ignored, never carried into a time line.
    package var years: ClosedRange<Int64> = 1970...2999

    package init() {}

    package static let standard = ReadingLimits()
}
