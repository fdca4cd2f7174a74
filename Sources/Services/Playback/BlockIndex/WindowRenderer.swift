import HLS
import Timeline

/// Writes the media playlist of a closed window that is one run of segments.
///
/// Only the head is written; the lines of all segments are in their blocks.
struct WindowRenderer {
    let rendition: RenditionID
    let cut: WindowSlice
    let window: TimeWindow
    let targetSeconds: Int
    /// The tags of markers, which stand before the first segment.
    var markers: [UInt8] = []

    /// The most bytes of a head without EXT-X-MAP and EXT-X-PROGRAM-DATE-TIME.
    private static let headBytes = 320

    /// Nil if a block has no text, or if more than a few have to be written, or compressed, first.
    func pieces(isCompressed: Bool) -> [RenderedPlaylist.Piece]? {
        let (first, last) = (cut.slots.startIndex, cut.slots.endIndex - 1)
        let head = cut.slots[first].block
        guard let text = head.text else { return nil }
        let rows = cut.rows(first, head)
        var pieces: [RenderedPlaylist.Piece] = [
            .own(self.head(text.format)), .line(text, rows.lowerBound), .rows(text, rows.dropFirst()),
        ]
        guard last > first else { return pieces + [.own(Self.end)] }
        let (tail, whole) = (cut.slots[last].block, cut.slots[(first + 1)..<last])
        guard let text = tail.text,
            let between = cut.blockSpan.strips.pieces(whole, isCompressed: isCompressed)
        else { return nil }
        pieces += between
        let end = cut.rows(last, tail)
        pieces.append(end.count == tail.segments.count ? .shared(text) : .rows(text, end))
        pieces.append(.own(Self.end))
        return pieces
    }

    private static let end = Array("#EXT-X-ENDLIST\n".utf8)

    private func head(_ format: FormatText) -> [UInt8] {
        let first = cut.first
        let map = format.map ?? []
        var dates = PlaylistWriter(reservingCapacity: 64)
        dates.programDateTime(microseconds: first.start.microseconds)
        var buffer = TextBuffer(capacity: Self.headBytes + markers.count + map.count + dates.bytes.count)
        let offset = window.begin - first.start
        let isIndependent = cut.isIndependent
        buffer.append("#EXTM3U\n#EXT-X-VERSION:")
        buffer.append(decimal: UInt64(max(3, format.version)))
        if isIndependent { buffer.append("\n#EXT-X-INDEPENDENT-SEGMENTS") }
        if offset > Limits.timeTolerance, offset < first.duration {
            buffer.append("\n#EXT-X-START:TIME-OFFSET=")
            buffer.append(seconds: UInt64(max(0, min(offset, first.mediaDuration))))
            buffer.append(",PRECISE=YES")
        }
        buffer.append("\n#EXT-X-TARGETDURATION:")
        buffer.append(decimal: UInt64(max(0, targetSeconds)))
        buffer.append("\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-DISCONTINUITY-SEQUENCE:")
        buffer.append(decimal: UInt64(max(0, first.discontinuitySequence)))
        buffer.append("\n#EXT-X-PLAYLIST-TYPE:VOD\n")
        buffer.append(markers)
        buffer.append(map)
        buffer.append(dates.bytes)
        return buffer.finish()
    }
}
