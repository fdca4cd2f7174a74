import Catalogue
import HLS
import Timeline

/// Segments that are read before they are placed.
extension RenditionProgress {
    /// Looks for steps of the source's dates in front of new entries.
    mutating func findStep(in playlist: MediaPlaylist, from: Int) -> DateSteps.Finding {
        guard placing.clock == .source else { return .none }
        let durations = measured
        return dateSteps.find(in: playlist, from: from, stored: shortSegments.entries) {
            durations.duration(said: $0) ?? $0
        }
    }

    /// How much a playlist lists from an index on, microseconds.
    func length(of playlist: MediaPlaylist, from index: Int) -> Int64 {
        entries(of: playlist).suffix(max(0, playlist.segments.count - index)).reduce(0) { $0 + $1.duration }
    }

    /// The segment behind a step was read, if that is what was read.
    ///
    /// - Returns: false when another one was
    mutating func judgeStep(before number: Int64, timestamp: Int64?) -> Bool {
        guard dateSteps.asks(number) else { return false }
        dateSteps.judge(timestamp)
        return true
    }
}

/// Segments of which an earlier recorder has stored a part.
extension RenditionProgress {
    /// A fact of the journal says whether its segment is whole.
    mutating func holdPart(_ fact: SegmentFact) {
        guard fact.identity.run == run else { return }
        parts.hold(KnownPart(fact), number: fact.identity.number, fact.placed.window)
    }

    /// The segments that a playlist lists before an index and of which an earlier recorder has stored a part,
    /// once.
    mutating func takeParts(
        of playlist: MediaPlaylist, before end: Int, arrival: Arrival,
    ) -> [(segment: ListedSegment, held: StoredPart)] {
        guard let run, !parts.isEmpty else { return [] }
        let available = arrival.steady + .microseconds(Self.listedFor(playlist))
        return parts.take(in: playlist, before: end).map { part in
            let placed = PlacedSegment(
                identity: SegmentIdentity(rendition: id, run: run, number: part.number),
                start: part.window.begin, duration: part.window.microseconds)
            return (
                ListedSegment(
                    placed: placed, entry: playlist.segments[part.index], arrival: arrival.date,
                    flags: NewEntries.flags(of: playlist, part.index), numberShift: alignment.shift,
                    discontinuityCount: discontinuityCount, availableUntil: available), part.held
            )
        }
    }
}
