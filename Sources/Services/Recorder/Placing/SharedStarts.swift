import Timeline

/// Starts that the leading rendition has decided, for the other renditions of a source without dates.
///
/// A number says nothing without its run: while one rendition has followed the source into another numbering,
/// the others may still list the old one.
struct SharedStarts: Sendable {
    private struct Place: Hashable {
        var run: Int64
        var number: Int64
    }

    private var starts: [Place: Instant] = [:]
    /// In the order of listing.
    private var places: [Place] = []

    /// Takes over what the leading rendition lists; the oldest are forgotten.
    mutating func add(_ segments: [ListedSegment]) {
        for segment in segments {
            let place = Place(run: segment.identity.run, number: segment.identity.number)
            if starts.updateValue(segment.placed.start, forKey: place) == nil { places.append(place) }
        }
        guard places.count > 2 * Limits.recentEntries else { return }
        for place in places.dropLast(Limits.recentEntries) { starts[place] = nil }
        places = places.suffix(Limits.recentEntries)
    }

    /// The starts of one run, by number.
    func starts(in run: Int64?) -> [Int64: Instant] {
        var found: [Int64: Instant] = [:]
        for (place, start) in starts where place.run == run { found[place.number] = start }
        return found
    }
}
