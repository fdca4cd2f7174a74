import Catalogue
import HLS
package import Timeline

extension ComposedWindow {
    /// The media playlist of a rendition; nil when it has nothing in the window.
    package func mediaPlaylist(of id: RenditionID) -> [UInt8]? {
        self[id].map { rendition in
            var text = MediaPlaylistText(window: self, rendition: rendition)
            return text.written()
        }
    }
}

/// Writes one media playlist: the head, then an entry of few bytes per segment.
///
/// Per segment the order is GAP entries, DISCONTINUITY, MAP, KEY, PROGRAM-DATE-TIME, EXTINF, URI. MAP stands before KEY, and
/// after METHOD=NONE where a key is in force, because initialization sections are stored clear and a KEY covers the MAPs
/// behind it (RFC 8216bis §4.4.4.5).
struct MediaPlaylistText {
    let window: ComposedWindow
    let rendition: ListedRendition
    private let directory: [UInt8]
    private(set) var texts: [Int32: StateText] = [:]
    var buffer: TextBuffer
    private var sticky = StickyTags()

    init(window: ComposedWindow, rendition: ListedRendition) {
        self.window = window
        self.rendition = rendition
        directory = Array("\(rendition.id)/".utf8)
        buffer = TextBuffer(capacity: 1024 + rendition.segments.count * Self.usualEntry)
        for id in Set(rendition.segments.map(\.stateID)) {
            texts[id] = window.states[id].map { StateText($0, rendition: rendition.id) }
        }
    }

    /// Bytes of an entry without tags of its own, and a little more.
    private static let usualEntry = 48
    /// Bytes that numbers and tag names of an entry take at most.
    private static let entryMargin = 128

    mutating func written() -> [UInt8] {
        writeHead()
        writeEntries()
        if window.isEnded { buffer.append("#EXT-X-ENDLIST\n") }
        return buffer.finish()
    }

    private mutating func writeEntries() {
        var last: RecordedSegment?
        var lastNumber: Int64 = 0
        var expectedDate = Instant(microseconds: 0)
        var currentID: Int32?
        var current: StateText?
        for segment in rendition.segments {
            if segment.stateID != currentID {
                current = texts[segment.stateID]
                currentID = segment.stateID
            }
            guard let state = current else { continue }
            let number = window.domains.number(of: segment)
            if let last, window.writesGaps { writeGaps(from: last.end, to: segment.start, state) }
            let joints =
                last == nil ? 0 : min(max(0, number - lastNumber), Int64(Limits.discontinuitiesPerJoint))
            for _ in 0..<joints { buffer.append("#EXT-X-DISCONTINUITY\n") }
            let isFresh = last == nil || joints > 0
            sticky.write(state, iv: segment.iv, isFresh: isFresh, to: &buffer)
            if isFresh || abs(segment.start - expectedDate) > Limits.dateTolerance {
                writeDate(segment.start)
                expectedDate = segment.start
            }
            expectedDate = expectedDate + segment.duration
            writeEntry(segment, state)
            (last, lastNumber) = (segment, number)
        }
    }

    @inline(__always)
    private mutating func writeEntry(_ segment: RecordedSegment, _ state: StateText) {
        let directory = directory
        unsafe buffer.write(atMost: Self.entryMargin + directory.count) { cursor in
            unsafe cursor.appendDuration(segment.duration)
            unsafe cursor.append(directory)
            unsafe cursor.append(decimal: UInt64(max(0, segment.start.milliseconds)))
            if segment.revision > 0 {
                unsafe cursor.append(UInt8(ascii: "-"))
                unsafe cursor.append(decimal: UInt64(segment.revision))
            }
            unsafe cursor.append(state.ending)
        }
    }

    /// Fills a hole with entries of at most a target duration; what they name need not exist (RFC 8216bis §4.4.4.7).
    private mutating func writeGaps(from begin: Instant, to end: Instant, _ state: StateText) {
        let hole = end - begin
        guard hole > Limits.holeTolerance else { return }
        let target = Int64(window.targetSeconds) * Microseconds.perSecond
        let count = (hole + target - 1) / target
        let directory = directory
        for index in 0..<count {
            let start = begin + hole / count * index
            let stop = index == count - 1 ? end : begin + hole / count * (index + 1)
            buffer.append("#EXT-X-GAP\n")
            unsafe buffer.write(atMost: Self.entryMargin + directory.count) { cursor in
                unsafe cursor.appendDuration(min(stop - start, target))
                unsafe cursor.append(directory)
                unsafe cursor.append(decimal: UInt64(max(0, start.milliseconds)))
                unsafe cursor.append(state.ending)
            }
        }
    }

    private mutating func writeDate(_ instant: Instant) {
        var writer = PlaylistWriter()
        writer.programDateTime(microseconds: instant.microseconds)
        buffer.append(writer.bytes)
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
