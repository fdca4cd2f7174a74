import Catalogue
import Timeline

/// A run of segments of one rendition without a hole, with the same container and the same kinds of tracks.
///
/// Segments that do not show their tracks belong to what stands before them, or are a stretch of their own: what
/// follows must not decide whether they are listed.
struct Stretch {
    var range: Range<Int>
    var window: TimeWindow
    var format: SegmentFormat
    /// The id of the last state in it: what has the same one fits as well, which is not looked up for each segment.
    var formatID: Int32

    /// Long enough that leaving it out would cost more than ending the answer.
    var isLong: Bool { window.microseconds >= Limits.trackMissing }

    /// Whether it has some but not all kinds of tracks of another, in the same container.
    func lacksTracks(of other: SegmentFormat) -> Bool {
        format.container == other.container && !format.joins(other)
            && (!format.hasVideo || other.hasVideo) && (!format.hasAudio || other.hasAudio)
    }
}

extension Stretch {
    /// Splits segments; those that cannot be played are left out as if they were not there.
    static func splitting(_ segments: SegmentList, formats: [Int32: SegmentFormat]) -> [Stretch] {
        var stretches: [Stretch] = []
        var open: Stretch?
        for piece in segments.pieces {
            for run in piece.playableRuns(formats) {
                if open?.takes(run) == true { continue }
                if let open { stretches.append(open) }
                open = run
            }
        }
        if let open { stretches.append(open) }
        return stretches
    }

    /// Takes a run in if it follows without a hole and can be in one list with this one.
    private mutating func takes(_ run: Stretch) -> Bool {
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
    /// Runs of segments that can be played, each of one state and without a hole; a uniform piece is one.
    fileprivate func playableRuns(_ formats: [Int32: SegmentFormat]) -> [Stretch] {
        if block.summary.isUniform, let format = formats[first.formatID] {
            return [
                Stretch(
                    range: positions, window: TimeWindow(begin: first.start, end: last.end), format: format,
                    formatID: first.formatID)
            ]
        }
        // States are looked at where they change only: a day has twenty thousand segments and few states.
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
    /// A segment whose key nobody has cannot be played.
    var isPlayable: Bool {
        keyMethod == nil || keyName != nil || !drmTags.isEmpty
    }

    /// Whether both can be in one list: the same container and the same kinds of tracks, as far as those are known.
    func joins(_ other: SegmentFormat) -> Bool {
        if tracks == other.tracks || tracks.isEmpty || other.tracks.isEmpty {
            return container == other.container
        }
        return continues(other)
    }

    /// Whether it belongs to a stretch of another state: one that does not show its tracks ends where they are shown.
    fileprivate func follows(_ other: SegmentFormat) -> Bool {
        joins(other) && (tracks.isEmpty || !other.tracks.isEmpty)
    }
}
