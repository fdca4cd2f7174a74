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
}

extension Stretch {
    /// Splits segments in order of their starts; those that cannot be played are left out as if they were not there.
    static func splitting(_ segments: [RecordedSegment], states: [Int32: MediaState]) -> [Stretch] {
        var stretches: [Stretch] = []
        var open: Stretch?
        var known: (id: Int32, state: MediaState?, joins: Bool)?
        // States are looked at where they change only: a day has twenty thousand segments and few states.
        for index in segments.indices {
            let id = segments[index].stateID
            if known?.id != id {
                let state = states[id].flatMap { $0.isPlayable ? $0 : nil }
                known = (id, state, state.map { open?.state.joins($0) ?? false } ?? false)
            }
            guard let state = known?.state, !segments[index].flags.contains(.keyPending) else { continue }
            if known?.joins == true, open?.takes(segments[index], at: index) == true { continue }
            if let open { stretches.append(open) }
            open = Stretch(range: index..<(index + 1), window: segments[index].window, state: state)
            known?.joins = true
        }
        if let open { stretches.append(open) }
        return stretches
    }

    /// Takes a segment in if it follows without a hole.
    private mutating func takes(_ segment: RecordedSegment, at index: Int) -> Bool {
        guard index == range.upperBound, segment.start - window.end <= Limits.holeTolerance else {
            return false
        }
        range = range.lowerBound..<(index + 1)
        window.end = max(window.end, segment.end)
        return true
    }
}

extension MediaState {
    /// A segment whose key nobody has cannot be played.
    fileprivate var isPlayable: Bool {
        keyMethod == nil || keyName != nil || !drmTags.isEmpty
    }

    /// Whether both can be in one list: the same container and the same kinds of tracks, as far as those are known.
    func joins(_ other: MediaState) -> Bool {
        if tracks.isEmpty || other.tracks.isEmpty { return container == other.container }
        return continues(other)
    }
}
