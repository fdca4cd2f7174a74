import Catalogue
import Timeline

/// A run of segments of one rendition without a hole, with the same container and the same kinds of tracks.
///
/// Segments that do not show their tracks belong to what stands before them, or are a stretch of their own: what
/// follows must not decide whether they are listed.
struct Stretch {
    var range: Range<Int>
    var window: TimeWindow
    var state: MediaState
    /// The id of the last state in it: what has the same one fits as well, which is not looked up for each segment.
    var stateID: Int32

    /// Long enough that leaving it out would cost more than ending the answer.
    var isLong: Bool { window.microseconds >= Limits.trackMissing }

    /// Whether it has some but not all kinds of tracks of another, in the same container.
    func lacksTracks(of other: MediaState) -> Bool {
        state.container == other.container && !state.joins(other)
            && (!state.hasVideo || other.hasVideo) && (!state.hasAudio || other.hasAudio)
    }
}

extension Stretch {
    /// Splits segments; those that cannot be played are left out as if they were not there.
    static func splitting(_ segments: SegmentList, states: [Int32: MediaState]) -> [Stretch] {
        var stretches: [Stretch] = []
        var open: Stretch?
        for piece in segments.pieces {
            for run in piece.playableRuns(states) {
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
            run.stateID == stateID || run.state.follows(state)
        else { return false }
        stateID = run.stateID
        range = range.lowerBound..<run.range.upperBound
        window.end = max(window.end, run.window.end)
        return true
    }
}

extension SegmentList.Piece {
    /// Runs of segments that can be played, each of one state and without a hole; a uniform piece is one.
    fileprivate func playableRuns(_ states: [Int32: MediaState]) -> [Stretch] {
        if block.summary.isUniform, let state = states[first.stateID] {
            return [
                Stretch(
                    range: positions, window: TimeWindow(begin: first.start, end: last.end), state: state,
                    stateID: first.stateID)
            ]
        }
        // States are looked at where they change only: a day has twenty thousand segments and few states.
        var known: (id: Int32, state: MediaState?)?
        var runs: [Stretch] = []
        for (position, segment) in zip(positions, segments) {
            if known?.id != segment.stateID {
                known = (segment.stateID, states[segment.stateID].flatMap { $0.isPlayable ? $0 : nil })
            }
            guard let state = known?.state, !segment.flags.contains(.keyPending) else { continue }
            if let last = runs.last, last.stateID == segment.stateID, last.range.upperBound == position,
                segment.start - last.window.end <= Limits.holeTolerance
            {
                runs[runs.count - 1].range = last.range.lowerBound..<(position + 1)
                runs[runs.count - 1].window.end = max(last.window.end, segment.end)
                continue
            }
            runs.append(
                Stretch(
                    range: position..<(position + 1), window: segment.window, state: state,
                    stateID: segment.stateID))
        }
        return runs
    }
}

extension MediaState {
    /// A segment whose key nobody has cannot be played.
    var isPlayable: Bool {
        keyMethod == nil || keyName != nil || !drmTags.isEmpty
    }

    /// Whether both can be in one list: the same container and the same kinds of tracks, as far as those are known.
    func joins(_ other: MediaState) -> Bool {
        if tracks == other.tracks || tracks.isEmpty || other.tracks.isEmpty {
            return container == other.container
        }
        return continues(other)
    }

    /// Whether it belongs to a stretch of another state: one that does not show its tracks ends where they are shown.
    fileprivate func follows(_ other: MediaState) -> Bool {
        joins(other) && (tracks.isEmpty || !other.tracks.isEmpty)
    }
}
