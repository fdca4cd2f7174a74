import Catalogue
import Timeline

/// A run of segments of one rendition without a hole, with the same container and kinds of tracks.
///
/// Segments whose tracks are unknown belong to the stretch before them, or form their own. Whether they are
/// listed must not depend on what follows.
struct Stretch: FormatRun {
    var range: Range<Int>
    var window: TimeWindow
    var format: SegmentFormat
    /// The format of the last segment; a segment with the same format fits without further checks.
    var formatID: Int32
}

extension Stretch {
    /// Splits segments into stretches; segments that cannot be played are left out.
    static func splitting(_ segments: SegmentList, formats: [Int32: SegmentFormat]) -> [Stretch] {
        var stretches: [Stretch] = []
        var open: Stretch?
        for piece in segments.pieces {
            for run in piece.playableRuns(formats) {
                if open?.tryAppending(run) == true { continue }
                if let open { stretches.append(open) }
                open = run
            }
        }
        if let open { stretches.append(open) }
        return stretches
    }

    /// Appends a run if it follows without a hole and can be in the same playlist.
    private mutating func tryAppending(_ run: Stretch) -> Bool {
        guard run.range.lowerBound == range.upperBound,
            run.window.begin - window.end <= Limits.holeTolerance,
            run.formatID == formatID || run.format.follows(format)
        else { return false }
        formatID = run.formatID
        range = range.lowerBound..<run.range.upperBound
        window.end = max(window.end, run.window.end)
        return true
    }
}

extension SegmentList.Piece {
    /// Splits a slice into runs of playable segments with one format and no hole.
    ///
    /// A uniform slice is a single run.
    fileprivate func playableRuns(_ formats: [Int32: SegmentFormat]) -> [Stretch] {
        if block.summary.isUniform, let format = formats[first.formatID] {
            return [
                Stretch(
                    range: positions, window: TimeWindow(begin: first.start, end: last.end), format: format,
                    formatID: first.formatID)
            ]
        }
        // The format is only looked up when it changes: a day has twenty thousand segments but few formats.
        var known: (id: Int32, format: SegmentFormat?)?
        var runs: [Stretch] = []
        for (position, segment) in zip(positions, segments) {
            if known?.id != segment.formatID {
                known = (segment.formatID, formats[segment.formatID].flatMap { $0.isPlayable ? $0 : nil })
            }
            guard let format = known?.format, !segment.flags.contains(.keyPending) else { continue }
            if let last = runs.last, last.formatID == segment.formatID, last.range.upperBound == position,
                segment.start - last.window.end <= Limits.holeTolerance
            {
                runs[runs.count - 1].range = last.range.lowerBound..<(position + 1)
                runs[runs.count - 1].window.end = max(last.window.end, segment.end)
                continue
            }
            runs.append(
                Stretch(
                    range: position..<(position + 1), window: segment.window, format: format,
                    formatID: segment.formatID))
        }
        return runs
    }
}

extension SegmentFormat {
    /// Whether a player can read it: it is clear, or its key or its DRM tags are recorded.
    var isPlayable: Bool {
        keyMethod == nil || keyName != nil || !drmTags.isEmpty
    }

    /// Whether the segments are not encrypted.
    var isClear: Bool { keyMethod == nil && drmTags.isEmpty }

    /// Whether it belongs to a stretch of another format.
    ///
    /// A stretch whose tracks are unknown ends where they become known.
    fileprivate func follows(_ other: SegmentFormat) -> Bool {
        joins(other) && (tracks.isEmpty || !other.tracks.isEmpty)
    }
}
