import HLS
import Timeline

/// Writes the lines of a segment that depend on nothing before it: cue tags, EXTINF and URI.
struct EntryRenderer {
    private let directory: [UInt8]
    /// The most bytes that numbers and tag names of an entry take.
    private static let margin = 128

    init(rendition: RenditionID) {
        directory = Array("\(rendition)/".utf8)
    }

    func write(_ segment: RecordedSegment, _ format: FormatText, to buffer: inout TextBuffer) {
        if segment.flags.contains(.hasCueTags) { writeCueTags(of: segment, to: &buffer) }
        write(segment.start, segment.revision, duration: segment.mediaDuration, format, to: &buffer)
    }

    /// Writes the lines of one segment, which a span does not copy.
    @inline(__always)
    func write(
        _ segments: Span<RecordedSegment>, _ row: Int, _ format: FormatText, to buffer: inout TextBuffer,
    ) {
        if segments[row].flags.contains(.hasCueTags) { writeCueTags(of: segments[row], to: &buffer) }
        write(
            segments[row].start, segments[row].revision, duration: segments[row].mediaDuration, format,
            to: &buffer)
    }

    @inline(__always)
    private func write(
        _ start: Instant, _ revision: Int16, duration: Int64, _ format: FormatText,
        to buffer: inout TextBuffer,
    ) {
        unsafe buffer.write(atMost: Self.margin + directory.count) { cursor in
            unsafe cursor.appendDuration(duration)
            unsafe appendURI(start, revision, format, to: &cursor)
        }
    }

    @inline(__always)
    private func appendURI(
        _ start: Instant, _ revision: Int16, _ format: FormatText, to cursor: inout TextCursor,
    ) {
        unsafe cursor.append(directory)
        unsafe cursor.append(decimal: UInt64(max(0, start.milliseconds)))
        if revision > 0 {
            unsafe cursor.append(UInt8(ascii: "-"))
            unsafe cursor.append(decimal: UInt64(revision))
        }
        unsafe cursor.append(format.ending)
    }

    /// Writes an entry of an I-frame playlist; a gap if there is no key frame.
    ///
    /// Returns where its URI stands in the buffer; the next entry of the same segment repeats that line.
    @inline(__always)
    @discardableResult
    func write(
        _ frame: KeyFrame?, duration: Int64, of start: Instant, _ revision: Int16, _ format: FormatText,
        repeating line: Range<Int>? = nil, to buffer: inout TextBuffer,
    ) -> Range<Int> {
        var uri = 0
        unsafe buffer.write(atMost: 2 * Self.margin + directory.count) { cursor in
            if frame == nil { unsafe cursor.append("#EXT-X-GAP\n") }
            unsafe cursor.appendDuration(duration)
            if let frame {
                unsafe cursor.append("#EXT-X-BYTERANGE:")
                unsafe cursor.append(decimal: UInt64(max(0, frame.byteCount)))
                unsafe cursor.append(UInt8(ascii: "@"))
                unsafe cursor.append(decimal: UInt64(max(0, frame.offset)))
                unsafe cursor.append(UInt8(ascii: "\n"))
            }
            unsafe uri = cursor.position
            if let line {
                unsafe cursor.appendAgain(line)
            } else {
                unsafe appendURI(start, revision, format, to: &cursor)
            }
        }
        return uri..<buffer.count
    }

    /// EXT-X-MAP that names the first bytes of a segment: the tables of a transport stream.
    func map(_ segment: RecordedSegment, _ format: FormatText, byteCount: Int) -> [UInt8] {
        let revision = segment.revision > 0 ? "-\(segment.revision)" : ""
        let ending = String(decoding: format.ending.dropLast(), as: UTF8.self)
        let name = "\(max(0, segment.start.milliseconds))\(revision)\(ending)"
        var writer = PlaylistWriter()
        writer.map(
            MediaMap(
                uri: String(decoding: directory, as: UTF8.self) + name,
                byteRange: HLS.ByteRange(length: UInt64(max(0, byteCount)), offset: 0)))
        return writer.bytes
    }

    private func writeCueTags(of segment: RecordedSegment, to buffer: inout TextBuffer) {
        var writer = PlaylistWriter()
        for tag in segment.cueTags where MediaSegment.isCueTag(tag) { writer.line(tag) }
        buffer.append(writer.bytes)
    }

    /// How many entries fill the hole between two segments.
    static func gapCount(between before: RecordedSegment, and after: RecordedSegment) -> Int64 {
        let hole = after.start - before.end
        guard hole > Limits.holeTolerance else { return 0 }
        let longest = longestGap(between: before, and: after)
        return (hole + longest - 1) / longest
    }

    private static func longestGap(
        between before: RecordedSegment, and after: RecordedSegment,
    ) -> Int64 {
        max(before.mediaDuration, after.mediaDuration, Microseconds.perSecond)
    }

    /// Fills a hole with EXT-X-GAP entries.
    ///
    /// The files that they name do not have to exist (RFC 8216bis §4.4.4.7).
    ///
    /// No entry is longer than the segments around the hole. These fit any target duration that a growing
    /// playlist may have later, so its entries never have to change.
    func writeGaps(
        between before: RecordedSegment, and after: RecordedSegment, _ format: FormatText,
        to buffer: inout TextBuffer,
    ) {
        let (begin, end) = (before.end, after.start)
        let hole = end - begin
        let longest = Self.longestGap(between: before, and: after)
        let count = Self.gapCount(between: before, and: after)
        let directory = directory
        for index in 0..<count {
            let start = begin + hole / count * index
            let stop = index == count - 1 ? end : begin + hole / count * (index + 1)
            buffer.append("#EXT-X-GAP\n")
            unsafe buffer.write(atMost: Self.margin + directory.count) { cursor in
                unsafe cursor.appendDuration(min(stop - start, longest))
                unsafe cursor.append(directory)
                unsafe cursor.append(decimal: UInt64(max(0, start.milliseconds)))
                unsafe cursor.append(format.ending)
            }
        }
    }
}

extension TextCursor {
    /// Appends EXTINF with six decimals.
    @inline(__always)
    fileprivate mutating func appendDuration(_ microseconds: Int64) {
        let value = UInt64(max(0, microseconds))
        unsafe append("#EXTINF:")
        unsafe append(decimal: value / 1_000_000)
        unsafe append(UInt8(ascii: "."))
        unsafe append(value % 1_000_000, digits: 6)
        unsafe append(",\n")
    }
}
