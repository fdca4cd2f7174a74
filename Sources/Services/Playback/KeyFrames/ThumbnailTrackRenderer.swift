import Catalogue
package import Timeline

/// Writes a WebVTT track whose cues name the pictures of a window, for the seek bars of players.
///
/// Cue times follow the media playlist: they begin at the first segment, and each segment lasts as long as
/// its EXTINF. A hole takes no time, unless the playlist lists it as EXT-X-GAP; then no cue covers it.
struct ThumbnailTrackRenderer {
    private let rendition: ListedRendition
    private let writesGaps: Bool
    private let step: Int64
    /// What follows the time in the URL of each picture.
    private let ending: [UInt8]
    private var text = TextBuffer(capacity: 4096)
    /// The cue that is not written yet: its begin, and the instant that it shows.
    private var open: (begin: Int64, shown: Instant)?
    /// The end of what was passed, in the time of the media, microseconds.
    private var end: Int64 = 0

    /// `step` is in microseconds, `width` in pixels.
    init(
        contents: PlaylistContents, rendition: ListedRendition, step: Int64, width: Int, named: RenditionID?,
    ) {
        (self.rendition, self.step) = (rendition, step)
        writesGaps = contents.writesGaps
        ending = Array("&width=\(width)\(named.map { "&rendition=\($0)" } ?? "")\n".utf8)
    }

    mutating func written() -> [UInt8] {
        text.append("WEBVTT\n")
        var next: Int64 = 0
        var last: RecordedSegment?
        for piece in rendition.segments.pieces {
            for row in piece.range {
                let segment = piece.block.segments[row]
                if let last, writesGaps, Self.begins(segment, behind: last) {
                    close(at: end)
                    end += segment.start - last.end
                    next = end
                }
                let begin = end
                end += segment.mediaDuration
                // Before the first key frame, the picture would be one of the segment before, which is not
                // listed.
                let earliest = Self.begins(segment, behind: last) ? piece.block.firstKeyFrame(of: row) : nil
                while next < end {
                    close(at: next)
                    let instant = segment.start + (next - begin)
                    open = (next, max(instant, earliest ?? instant))
                    next = (next / step + 1) * step
                }
                last = segment
            }
        }
        close(at: end)
        return text.take()
    }

    /// The blocks with the first segment and with the first segment after each hole.
    static func blocksOfBegins(_ segments: SegmentList) -> [Block] {
        var blocks: [Block] = []
        var last: RecordedSegment?
        for piece in segments.pieces {
            for segment in piece.segments {
                if begins(segment, behind: last), segment.flags.contains(.hasKeyFrames),
                    blocks.last !== piece.block
                {
                    blocks.append(piece.block)
                }
                last = segment
            }
        }
        return blocks
    }

    /// Whether a segment is the first one, or lies behind a hole.
    private static func begins(_ segment: RecordedSegment, behind last: RecordedSegment?) -> Bool {
        last.map { segment.start - $0.end > Limits.holeTolerance } ?? true
    }

    private mutating func close(at end: Int64) {
        guard let cue = open else { return }
        open = nil
        // The first whole millisecond that is not before the instant: the one before may be of another
        // segment.
        let shown = (cue.shown.microseconds + Microseconds.perMillisecond - 1) / Microseconds.perMillisecond
        text.append("\n")
        appendTime(cue.begin)
        text.append(" --> ")
        appendTime(end)
        text.append("\nframe.jpg?time=")
        text.append(decimal: UInt64(max(0, shown)))
        text.append(ending)
    }

    /// Appends microseconds as `hh:mm:ss.ttt`, with more digits for the hours where needed.
    private mutating func appendTime(_ microseconds: Int64) {
        let milliseconds = UInt64(max(0, microseconds / Microseconds.perMillisecond))
        let seconds = milliseconds / 1000
        let hours = seconds / 3600
        if hours < 10 { text.append("0") }
        text.append(decimal: hours)
        text.append(":")
        text.append(seconds / 60 % 60, digits: 2)
        text.append(":")
        text.append(seconds % 60, digits: 2)
        text.append(".")
        text.append(milliseconds % 1000, digits: 3)
    }
}

extension Block {
    /// Where the first key frame of a segment begins, if it is known.
    fileprivate func firstKeyFrame(of row: Int) -> Instant? {
        guard let known = keyFrames.load() else { return nil }
        return known.frames(of: row..<(row + 1)).first.map(known.begin)
    }
}

extension PlaybackService {
    /// A thumbnail track of a rendition, whose cues last `step` microseconds; `named` is written into the
    /// URLs of the pictures.
    ///
    /// The places of the key frames at the beginning and after holes are read from the catalogue.
    package func thumbnailTrack(
        of id: RenditionID, in contents: PlaylistContents, step: Int64, width: Int, named: RenditionID?,
        for client: String?,
    ) async throws(PlaybackError) -> RenderedPlaylist {
        guard let rendition = contents[id] else { throw .noSuchRendition(id) }
        let hasPictures = rendition.segments.pieces.contains { piece in
            piece.segments.contains { $0.flags.contains(.hasKeyFrames) }
        }
        guard id.kind == .video, hasPictures else { throw .noKeyFrames(id) }
        let blocks = ThumbnailTrackRenderer.blocksOfBegins(rendition.segments)
        try await index.readKeyFrames(of: blocks, id, isCompressed: false, for: client)
        let step = max(Microseconds.perSecond, step)
        let isLong = contents.window.microseconds / step > Limits.cuesWithoutTurn
        return try await inTurn(isLong, leavesThread: true, for: client) { () async throws(PlaybackError) in
            var text = ThumbnailTrackRenderer(
                contents: contents, rendition: rendition, step: step, width: width, named: named)
            return try RenderedPlaylist(text.written())
        }
    }
}
