import Catalogue
import HLS
import HTTP
import Timeline

/// Renders one media playlist: the head, then a short entry per segment.
///
/// The tags of a segment are written in the order EXT-X-DATERANGE, GAP entries, DISCONTINUITY, MAP, KEY,
/// PROGRAM-DATE-TIME, cue tags, EXTINF, URI. MAP comes before KEY, and after METHOD=NONE if a key is in
/// force, because initialization sections are stored clear and a KEY applies to the MAPs after it (RFC
/// 8216bis §4.4.4.5).
struct MediaPlaylistRenderer {
    let contents: PlaylistContents
    let rendition: ListedRendition
    private let entry: EntryRenderer
    private(set) var texts: [Int32: FormatText] = [:]
    private var pieces: [RenderedPlaylist.Piece] = []
    var buffer: TextBuffer
    private var mapAndKey = MapAndKeyTags()
    private var last: RecordedSegment?
    private var lastSequence: Int64 = 0
    /// The date that a player computes by adding durations to the last written date.
    private var expectedDate = Instant(microseconds: 0)
    private var current: (id: Int32, text: FormatText?)?
    /// The markers that are not written yet, in the order of the playlist.
    private var markers: ArraySlice<MarkerTag>

    init(contents: PlaylistContents, rendition: ListedRendition) {
        self.contents = contents
        self.rendition = rendition
        entry = EntryRenderer(rendition: rendition.id)
        markers = contents.markers.isEmpty ? [] : contents.markerTags()[...]
        let own = rendition.segments.pieces.reduce(0) {
            $0 + ($1.isWhole && $1.block.text != nil ? 1 : $1.range.count)
        }
        buffer = TextBuffer(capacity: 1024 + own * Limits.usualEntryBytes)
        for id in rendition.segments.formatIDs {
            texts[id] = contents.formats[id].map { FormatText($0, rendition: rendition.id) }
        }
    }

    mutating func written() throws(PlaybackError) -> [RenderedPlaylist.Piece] {
        writeHead()
        for piece in rendition.segments.pieces { try writeWithMarkers(piece) }
        if contents.isEnded { buffer.append("#EXT-X-ENDLIST\n") }
        closeOwnPiece()
        return pieces
    }

    private mutating func closeOwnPiece() {
        let bytes = buffer.take()
        if !bytes.isEmpty { pieces.append(.own(bytes)) }
    }

    /// Writes segments one by one.
    private mutating func write(rows segments: ArraySlice<RecordedSegment>) {
        for segment in segments {
            if segment.formatID != current?.id { current = (segment.formatID, texts[segment.formatID]) }
            guard let format = current?.text else { continue }
            write(segment, format)
        }
    }

    @inline(__always)
    private mutating func write(_ segment: RecordedSegment, _ format: FormatText) {
        let number = contents.discontinuities.sequence(of: segment)
        if let last, contents.writesGaps {
            entry.writeGaps(between: last, and: segment, format, to: &buffer)
        }
        let boundaries =
            last == nil ? 0 : min(max(0, number - lastSequence), Int64(Limits.discontinuitiesPerBoundary))
        for _ in 0..<boundaries { buffer.append("#EXT-X-DISCONTINUITY\n") }
        let isFresh = last == nil || boundaries > 0
        mapAndKey.write(format, iv: segment.iv, isFresh: isFresh, to: &buffer)
        if isFresh || abs(segment.start - expectedDate) > Limits.dateTolerance {
            writeDate(segment.start)
            expectedDate = segment.start
        }
        expectedDate = expectedDate + segment.mediaDuration
        entry.write(segment, format, to: &buffer)
        (last, lastSequence) = (segment, number)
    }

    private mutating func writeDate(_ instant: Instant) {
        var writer = PlaylistWriter()
        writer.programDateTime(microseconds: instant.microseconds)
        buffer.append(writer.bytes)
    }
}

/// Markers.
extension MediaPlaylistRenderer {
    /// The markers to write before a segment; each is returned once.
    private mutating func takeMarkers(before segment: RecordedSegment) -> ArraySlice<MarkerTag> {
        let taken = markers.prefix { $0.place <= segment.start }
        markers = markers.dropFirst(taken.count)
        return taken
    }

    mutating func writeMarkers(before segment: RecordedSegment) {
        for tag in takeMarkers(before: segment) { buffer.append(tag.line) }
    }

    /// Writes a slice in parts, between which markers stand.
    private mutating func writeWithMarkers(_ piece: SegmentList.Piece) throws(PlaybackError) {
        var rest = piece
        while let next = markers.first,
            let index = rest.segments.firstIndex(where: { $0.start >= next.place })
        {
            if index > rest.range.lowerBound {
                var part = rest
                part.range = rest.range.lowerBound..<index
                try write(part)
                rest.position += part.range.count
                rest.range = index..<rest.range.upperBound
            }
            writeMarkers(before: rest.first)
        }
        try write(rest)
    }
}

/// Sharing the lines of blocks.
extension MediaPlaylistRenderer {
    /// Writes a slice: as the block's lines, or the first segment and then the block's lines, or segment by
    /// segment.
    private mutating func write(_ piece: SegmentList.Piece) throws(PlaybackError) {
        guard let text = piece.block.text, hasOneSequence(piece) else { return write(rows: piece.segments) }
        let (begin, end) = (piece.range.lowerBound, piece.range.upperBound)
        if begin == 0, continues(piece, text), keepsDate(piece, from: piece.first.start - expectedDate) {
            closeOwnPiece()
            pieces.append(piece.isWhole ? .shared(text) : .rows(text, 0..<end))
            let duration =
                piece.isWhole
                ? piece.block.summary.duration : piece.segments.reduce(0) { $0 + $1.mediaDuration }
            return pass(piece, text, duration: duration)
        }
        write(rows: piece.segments.prefix(1))
        guard keepsDate(piece, from: piece.first.start + piece.first.mediaDuration - expectedDate) else {
            return write(rows: piece.segments.dropFirst())
        }
        closeOwnPiece()
        pieces.append(.rows(text, (begin + 1)..<end))
        pass(piece, text, duration: piece.segments.dropFirst().reduce(0) { $0 + $1.mediaDuration })
    }

    private mutating func pass(_ piece: SegmentList.Piece, _ text: BlockText, duration: Int64) {
        mapAndKey.passed(text.format, iv: piece.last.iv)
        expectedDate = expectedDate + duration
        lastSequence = contents.discontinuities.sequence(of: piece.last)
        last = piece.last
    }

    /// Whether no discontinuity lies within a slice.
    ///
    /// A uniform block has one sequence, but a hole of another rendition may add a boundary.
    private func hasOneSequence(_ piece: SegmentList.Piece) -> Bool {
        contents.discontinuities.sequence(of: piece.first)
            == contents.discontinuities.sequence(of: piece.last)
    }

    /// Whether the block's lines can follow the text so far without additional tags.
    private func continues(_ piece: SegmentList.Piece, _ text: BlockText) -> Bool {
        let first = piece.first
        guard let last, last.formatID == first.formatID,
            contents.discontinuities.sequence(of: first) <= lastSequence
        else {
            return false
        }
        if contents.writesGaps, first.start - last.end > Limits.holeTolerance { return false }
        let needsKey = text.format.key != nil && last.iv != first.iv
        return needsKey == text.beginsWithKey
    }

    /// Whether the dates that players compute stay accurate to the end of a slice if they are off by `offset`
    /// at its first segment.
    private func keepsDate(_ piece: SegmentList.Piece, from offset: Int64) -> Bool {
        let drift = piece.block.summary.drift
        let before = piece.block.segments[..<piece.range.lowerBound].reduce(0) { $0 + $1.mediaDuration }
        let own = piece.first.start - (piece.block.segments[0].start + before)
        return offset - own + drift.lowerBound >= -Limits.dateTolerance
            && offset - own + drift.upperBound <= Limits.dateTolerance
    }
}
