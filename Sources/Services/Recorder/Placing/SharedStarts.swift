import Timeline

/// Starts that the leading rendition has decided, for the other renditions of a source without dates.
///
/// A number says nothing without its run: while one rendition has followed the source into another numbering,
/// the others may still list the old one.
struct SharedStarts: Sendable {
    private struct Entry: Sendable {
        var run: Int64
        var number: Int64
    }

    /// By run and number.
    private var starts: [Int64: [Int64: Instant]] = [:]
    /// In the order of listing.
    private var entries: [Entry] = []

    /// Takes over what the leading rendition lists; the oldest are forgotten.
    mutating func add(_ segments: [ListedSegment]) {
        for segment in segments {
            let identity = segment.identity
            let earlier = starts[identity.run, default: [:]].updateValue(
                segment.placed.start, forKey: identity.number)
            if earlier == nil { entries.append(Entry(run: identity.run, number: identity.number)) }
        }
        guard entries.count > 2 * Limits.recentEntries else { return }
        for entry in entries.dropLast(Limits.recentEntries) {
            starts[entry.run]?[entry.number] = nil
            if starts[entry.run]?.isEmpty ?? false { starts[entry.run] = nil }
        }
        entries = entries.suffix(Limits.recentEntries)
    }

    /// The starts of one run, by number.
    func starts(in run: Int64?) -> [Int64: Instant] {
        run.flatMap { starts[$0] } ?? [:]
    }
}
