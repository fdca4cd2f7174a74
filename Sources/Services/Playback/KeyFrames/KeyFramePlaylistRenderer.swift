import Catalogue
import HLS
import Timeline

/// Writes an I-frame playlist (RFC 8216 §4.3.3.6): an entry for each key frame, with its bytes.
///
/// A closed window has an entry for every key frame. Each entry ends where the next one begins, and the lines
/// of whole blocks are shared. A growing playlist has one entry for each segment: its first key frame, or a
/// gap. So its numbers and durations are those of the media playlist and never change. The tags of markers
/// are the same as in the media playlist, at the same positions.
struct KeyFramePlaylistRenderer {
    private let contents: PlaylistContents
    private let rendition: ListedRendition
    private let entry: EntryRenderer
    private var texts: [Int32: FormatText] = [:]
    private var pieces: [RenderedPlaylist.Piece] = []
    private var buffer = TextBuffer(capacity: 1024)
    /// Lines of a block that are not among the pieces yet; the buffer is empty meanwhile.
    private var shared: (of: BlockKeyFrames, frames: Range<Int>)?
    /// The frame that lasts until the next one, which is not known yet.
    private var open: Frame?
    /// Whether EXT-X-MAP stands before the next frame.
    private var needsMap = true
    /// The segment that was passed last, and its format and discontinuity sequence.
    private var passed: (segment: RecordedSegment, sequence: Int64)?
    /// The end of the segments that were passed since the last discontinuity.
    private var end = Instant(microseconds: 0)
    /// The hole before the next frame.
    private var hole: (before: RecordedSegment, after: RecordedSegment)?
    private var first: Frame?
    private var lastSequence: Int64?
    private var expectedDate = Instant(microseconds: 0)
    private var longest: Int64 = 0
    private var hasFrames = false
    /// The markers that are not written yet, in the order of the playlist.
    private var markers: ArraySlice<MarkerTag>

    /// An entry.
    private struct Frame {
        var segment: RecordedSegment
        var sequence: Int64
        var format: FormatText
        /// Nil for a gap.
        var place: KeyFrame?
        var begin: Instant
        var map: [UInt8]?
        /// Where it is among those of its block, if its line may be there.
        var shared: (of: BlockKeyFrames, index: Int)?
    }

    /// The key frames of the blocks are in memory.
    init(contents: PlaylistContents, rendition: ListedRendition) {
        (self.contents, self.rendition) = (contents, rendition)
        entry = EntryRenderer(rendition: rendition.id)
        markers = contents.markers.isEmpty ? [] : contents.markerTags()[...]
        for id in rendition.segments.formatIDs {
            texts[id] = contents.formats[id].map { FormatText($0, rendition: rendition.id) }
        }
    }

    /// Nil if no frame can be listed.
    mutating func written() -> [RenderedPlaylist.Piece]? {
        for piece in rendition.segments.pieces where !(contents.plan.kind == .closed && addBlock(piece)) {
            addRows(piece)
        }
        close(at: end)
        guard hasFrames, let first else { return nil }
        endShared()
        if contents.isEnded { buffer.append("#EXT-X-ENDLIST\n") }
        endOwn()
        return [.own(head(first))] + pieces
    }

    /// Adds the frames of a slice segment by segment.
    private mutating func addRows(_ piece: SegmentList.Piece) {
        let own = piece.block.keyFrames.load()
        for row in piece.range {
            let segment = piece.block.segments[row]
            guard let format = texts[segment.formatID] else { continue }
            let known = format.isClear ? own?.keyFrames(of: row) : nil
            pass(segment)
            contents.plan.kind == .closed ? add(known, segment, format) : addOne(known, segment, format)
        }
    }

    /// Adds the frames of a slice as lines of its block; false if it has to be written segment by segment.
    ///
    /// The lines of the first and the last frame depend on their neighbours. The block's lines are used for
    /// them only if they turn out to be the same.
    private mutating func addBlock(_ piece: SegmentList.Piece) -> Bool {
        guard let known = piece.block.keyFrames.load(), known.text != nil,
            let format = texts[piece.first.formatID], hasOneSequence(piece)
        else { return false }
        let frames = known.frames(of: piece.range)
        pass(piece.first)
        if let index = frames.first {
            guard open.map({ $0.begin < known.begin(index) }) ?? true,
                let frame = frame(known, index, piece, format)
            else { return false }
            close(at: frame.begin)
            open = frame
            if frames.count > 1 {
                let last = frames.upperBound - 1
                close(at: known.begin(index + 1))
                share(known, (index + 1)..<last)
                open = self.frame(known, last, piece, format)
            }
        }
        pass(piece.last)
        return true
    }

    private func hasOneSequence(_ piece: SegmentList.Piece) -> Bool {
        contents.discontinuities.sequence(of: piece.first)
            == contents.discontinuities.sequence(of: piece.last)
    }

    /// Lists frames with the lines of their block; the last of them ends where the next one begins.
    private mutating func share(_ known: BlockKeyFrames, _ frames: Range<Int>) {
        guard !frames.isEmpty else { return }
        if let shared, shared.of === known, shared.frames.upperBound == frames.lowerBound {
            self.shared = (known, shared.frames.lowerBound..<frames.upperBound)
        } else {
            endShared()
            endOwn()
            shared = (known, frames)
        }
        expectedDate = expectedDate + known.duration(frames)
        if known.longest > longest { longest = frames.reduce(longest) { max($0, known.duration($1)) } }
    }

    private mutating func endShared() {
        guard let (known, frames) = shared, let text = known.text else { return }
        shared = nil
        let isWhole = frames == known.frames(of: 0..<known.rowCount)
        pieces.append(isWhole ? .shared(text) : .rows(text, frames))
    }

    private mutating func endOwn() {
        let bytes = buffer.take()
        if !bytes.isEmpty { pieces.append(.own(bytes)) }
    }

    /// Moves on to a segment; at a discontinuity it ends the open frame.
    private mutating func pass(_ segment: RecordedSegment) {
        let sequence = contents.discontinuities.sequence(of: segment)
        if let passed, passed.sequence == sequence {
            needsMap = needsMap || passed.segment.formatID != segment.formatID
            end = max(end, segment.end)
        } else {
            close(at: end)
            if let passed { hole = (passed.segment, segment) }
            (needsMap, end) = (true, segment.end)
        }
        passed = (segment, sequence)
    }

    /// Adds all frames of a segment.
    private mutating func add(_ known: KeyFrames?, _ segment: RecordedSegment, _ format: FormatText) {
        for place in known?.frames ?? [] {
            let begin = segment.start + place.time
            guard begin < segment.end, open.map({ $0.begin < begin }) ?? true,
                let frame = frame(segment, format, known?.tableByteCount ?? 0, place)
            else { continue }
            close(at: begin)
            open = frame
        }
    }

    /// Adds the first frame of a segment, or a gap, which lasts as long as the segment.
    private mutating func addOne(_ known: KeyFrames?, _ segment: RecordedSegment, _ format: FormatText) {
        let found = known?.frames.first.flatMap { frame(segment, format, known?.tableByteCount ?? 0, $0) }
        while let tag = markers.first, tag.place <= segment.start {
            buffer.append(tag.line)
            markers = markers.dropFirst()
        }
        let gap = Frame(
            segment: segment, sequence: passed?.sequence ?? 0, format: format, begin: segment.start)
        write(found ?? gap, duration: segment.mediaDuration)
    }

    /// A frame of a block whose lines can be shared.
    private mutating func frame(
        _ known: BlockKeyFrames, _ index: Int, _ piece: SegmentList.Piece, _ format: FormatText,
    ) -> Frame? {
        let row = known.row(index)
        var frame = frame(
            piece.block.segments[row], format, known.tableByteCount(of: row), known.place(index))
        frame?.shared = (known, index)
        return frame
    }

    /// A frame with the initialization section that it needs; nil if there is none, as players then know no
    /// tracks.
    private mutating func frame(
        _ segment: RecordedSegment, _ format: FormatText, _ tables: Int, _ place: KeyFrame,
    ) -> Frame? {
        var frame = Frame(
            segment: segment, sequence: passed?.sequence ?? 0, format: format, place: place,
            begin: segment.start + place.time)
        guard needsMap else { return frame }
        frame.map = format.map ?? (tables > 0 ? entry.map(segment, format, byteCount: tables) : nil)
        guard frame.map != nil else { return nil }
        needsMap = false
        return frame
    }

    private mutating func close(at end: Instant) {
        guard let frame = open else { return }
        open = nil
        write(frame, duration: max(Microseconds.perMillisecond, end - frame.begin))
    }

    private mutating func write(_ frame: Frame, duration: Int64) {
        let boundaries = lastSequence.map { max(0, frame.sequence - $0) } ?? 0
        let isDated =
            lastSequence == nil || boundaries > 0
            || abs(frame.begin - expectedDate) > Limits.dateTolerance
        if !isDated, hole == nil, frame.map == nil, let (known, index) = frame.shared,
            known.duration(index) == duration
        {
            return share(known, index..<(index + 1))
        }
        endShared()
        if let hole, contents.writesGaps, lastSequence != nil {
            entry.writeGaps(between: hole.before, and: hole.after, frame.format, to: &buffer)
            longest = max(longest, hole.before.mediaDuration, hole.after.mediaDuration)
        }
        hole = nil
        for _ in 0..<min(boundaries, Int64(Limits.discontinuitiesPerBoundary)) {
            buffer.append("#EXT-X-DISCONTINUITY\n")
        }
        if let map = frame.map { buffer.append(map) }
        if isDated {
            var date = PlaylistWriter()
            date.programDateTime(microseconds: frame.begin.microseconds)
            buffer.append(date.bytes)
            expectedDate = frame.begin
        }
        expectedDate = expectedDate + duration
        entry.write(
            frame.place, duration: duration, of: frame.segment.start, frame.segment.revision, frame.format,
            to: &buffer)
        longest = max(longest, duration)
        if first == nil { first = frame }
        hasFrames = hasFrames || frame.place != nil
        lastSequence = frame.sequence
    }

    private func head(_ first: Frame) -> [UInt8] {
        let isClosed = contents.plan.kind == .closed
        var head = MediaPlaylist()
        head.isIFramesOnly = true
        // 5 for MAP (RFC 8216 §7); a growing playlist may have GAP later.
        head.version = isClosed && !contents.writesGaps ? 5 : 8
        head.targetDurationSeconds = isClosed ? .target(ofLongest: longest) : contents.targetSeconds
        head.mediaSequence = isClosed ? 0 : UInt64(max(0, first.segment.number ?? 0))
        head.discontinuitySequence = UInt64(max(0, first.sequence))
        head.type = contents.playlistType
        var writer = PlaylistWriter(reservingCapacity: 256)
        head.writeHead(&writer)
        // In a closed window all markers stand before the first segment.
        return isClosed ? writer.bytes + markers.flatMap(\.line) : writer.bytes
    }
}
