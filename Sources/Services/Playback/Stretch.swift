import Catalogue
import Timeline

/// A run of segments of one rendition without a hole, with the same container and the same kinds of tracks.
struct Stretch {
    var range: Range<Int>
    var window: TimeWindow
    var state: MediaState

    /// Long enough that leaving it out would cost more than ending the answer.
    var isLong: Bool { window.microseconds >= Limits.trackMissing }

    /// Whether it has some but not all kinds of tracks of another, in the same container.
    func lacksTracks(of other: MediaState) -> Bool {
        state.container == other.container && !state.joins(other)
            && (!state.hasVideo || other.hasVideo) && (!state.hasAudio || other.hasAudio)
    }

    /// Splits segments in order of their starts; those that are not playable are left out as if they were not there.
    static func splitting(
        _ segments: [RecordedSegment], states: [Int32: MediaState],
        isPlayable: (RecordedSegment, MediaState) -> Bool,
    ) -> [Stretch] {
        var stretches: [Stretch] = []
        var lastID: Int32?
        var lastState: MediaState?
        for (index, segment) in segments.enumerated() {
            let state = segment.stateID == lastID ? lastState : states[segment.stateID]
            (lastID, lastState) = (segment.stateID, state)
            guard let state, isPlayable(segment, state) else { continue }
            guard let last = stretches.indices.last, stretches[last].takes(segment, at: index, state) else {
                stretches.append(Stretch(range: index..<(index + 1), window: segment.window, state: state))
                continue
            }
            stretches[last].range = stretches[last].range.lowerBound..<(index + 1)
            stretches[last].window.end = max(stretches[last].window.end, segment.end)
        }
        return stretches
    }

    private func takes(_ segment: RecordedSegment, at index: Int, _ state: MediaState) -> Bool {
        index == range.upperBound && segment.start - window.end <= Limits.holeTolerance
            && self.state.joins(state)
    }
}

extension MediaState {
    /// Whether both can be in one list: the same container and the same kinds of tracks, as far as those are known.
    func joins(_ other: MediaState) -> Bool {
        if tracks.isEmpty || other.tracks.isEmpty { return container == other.container }
        return continues(other)
    }
}
