import Timeline

/// Writes the lines of a segment that nothing before it changes: EXTINF and URI.
struct EntryText {
    private let directory: [UInt8]
    /// Bytes that numbers and tag names of an entry take at most.
    private static let margin = 128

    init(rendition: RenditionID) {
        directory = Array("\(rendition)/".utf8)
    }

    @inline(__always)
    func write(_ segment: RecordedSegment, _ format: FormatText, to buffer: inout TextBuffer) {
        let directory = directory
        unsafe buffer.write(atMost: Self.margin + directory.count) { cursor in
            unsafe cursor.appendDuration(segment.duration)
            unsafe cursor.append(directory)
            unsafe cursor.append(decimal: UInt64(max(0, segment.start.milliseconds)))
            if segment.revision > 0 {
                unsafe cursor.append(UInt8(ascii: "-"))
                unsafe cursor.append(decimal: UInt64(segment.revision))
            }
            unsafe cursor.append(format.ending)
        }
    }

    /// Fills a hole with entries; what they name need not exist (RFC 8216bis §4.4.4.7).
    ///
    /// None is longer than a segment beside the hole, which fits every target duration that the list may have later: a
    /// growing list must not change its entries when that rises.
    func writeGaps(
        behind before: RecordedSegment, upTo after: RecordedSegment, _ format: FormatText,
        to buffer: inout TextBuffer,
    ) {
        let (begin, end) = (before.end, after.start)
        let hole = end - begin
        guard hole > Limits.holeTolerance else { return }
        let longest = max(before.duration, after.duration, Microseconds.perSecond)
        let count = (hole + longest - 1) / longest
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
    /// EXTINF of microseconds, with six decimals.
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
