/// Writes segments in order, and KEY, MAP and BITRATE only where they change.
package struct SegmentWriter: Sendable {
    private let options: WritingOptions
    /// The state of a reader that has read the lines so far.
    private var keys: [Key] = []
    private var map: MediaMap?
    private var kilobitsPerSecond: UInt64?
    private var isFirst = true

    package init(options: WritingOptions = WritingOptions()) {
        self.options = options
    }

    /// Writes the lines of a segment: DISCONTINUITY, KEY, MAP, PROGRAM-DATE-TIME, GAP, EXTINF, URI.
    package mutating func write(_ segment: MediaSegment, _ writer: inout PlaylistWriter) {
        for _ in 0..<max(0, segment.discontinuityCount) { writer.line(.discontinuity) }
        let restates = options.restatesAfterDiscontinuity && segment.discontinuityCount > 0
        writeTagsInForce(of: segment, restates: restates, &writer)
        if let date = segment.programDateTimeMicroseconds { writer.exactProgramDateTime(microseconds: date) }
        if segment.isGap { writer.line(.gap) }
        if let range = segment.byteRange { writer.byteRange(range) }
        for line in segment.partLines { writer.line(line) }
        // Before the first EXTINF an unknown line would belong to the whole playlist, unless a tag of the
        // segment precedes it.
        let comesFirst = !isFirst || segment.unknownLines.first.flatMap(PlaylistTag.of(line:))?.isCue ?? false
        if comesFirst { for line in segment.unknownLines { writer.line(line) } }
        writer.extinf(microseconds: segment.durationMicroseconds, title: segment.title)
        if !comesFirst { for line in segment.unknownLines { writer.line(line) } }
        isFirst = false
        writer.line(segment.uri)
    }

    private mutating func writeTagsInForce(
        of segment: MediaSegment, restates: Bool, _ writer: inout PlaylistWriter
    ) {
        if let wanted = segment.map, restates || wanted != map {
            change(to: wanted.keys, restates: restates, &writer)
            writer.map(wanted)
            map = wanted
            change(to: segment.keys, restates: false, &writer)
        } else {
            change(to: segment.keys, restates: restates, &writer)
        }
        if let rate = segment.kilobitsPerSecond, rate != kilobitsPerSecond {
            writer.line(.bitrate, rate)
            kilobitsPerSecond = rate
        }
    }

    /// Writes the tags that put these keys in force; METHOD=NONE precedes them where a key ends without a
    /// replacement.
    private mutating func change(to wanted: [Key], restates: Bool, _ writer: inout PlaylistWriter) {
        guard restates || wanted != keys else { return }
        let allReplaced = keys.allSatisfy { key in wanted.contains { $0.keyFormat == key.keyFormat } }
        if !allReplaced { writer.key(nil) }
        for key in wanted { writer.key(key) }
        keys = wanted
    }
}
