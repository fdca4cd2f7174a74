import HLS
import Timeline

/// The properties of a playlist entry by which later playlists are compared with it.
struct SeenEntry: Sendable, Equatable {
    var number: Int64
    /// The last part of the URI's path, with the offset of a byte range: hosts, folders and queries may
    /// change with each load.
    var comparedName: String
    var date: Instant?
    /// Microseconds, as listed.
    var duration: Int64

    /// The entry at an index; nil when the playlist has none there.
    ///
    /// The name of `known` is used again if it is equal, without a copy.
    init?(_ playlist: MediaPlaylist, _ index: Int, known: SeenEntry? = nil) {
        guard let number = PlaylistFollower.number(playlist, index) else { return nil }
        let entry = playlist.segments[index]
        self.number = number
        comparedName = Self.comparedName(of: entry, known: known?.comparedName)
        date = entry.programDateTimeMicroseconds.map { Instant(microseconds: $0) }
        duration = entry.durationMicroseconds
    }

    /// The newest entries of a playlist, at most `Limits.recentEntries`.
    ///
    /// Names are taken over from `known`, where the playlist before had the same ones.
    static func entries(of playlist: MediaPlaylist, known: [SeenEntry] = []) -> [SeenEntry] {
        let indices = playlist.segments.indices.suffix(Limits.recentEntries)
        guard let first = indices.first.flatMap({ PlaylistFollower.number(playlist, $0) }) else { return [] }
        // Numbers are usually consecutive.
        let shift = known.first.map { first.subtractingReportingOverflow($0.number) }
        let start = shift.flatMap { $0.overflow ? nil : Int(exactly: $0.partialValue) } ?? known.count
        var entries: [SeenEntry] = []
        entries.reserveCapacity(indices.count)
        for index in indices {
            let place = start.addingReportingOverflow(entries.count)
            let isKnown = !place.overflow && known.indices.contains(place.partialValue)
            let entry = SeenEntry(playlist, index, known: isKnown ? known[place.partialValue] : nil)
            if let entry { entries.append(entry) }
        }
        return entries
    }

    /// Whether the same number had the same name and, where both say one, the same date.
    func isKnown(in others: [SeenEntry]) -> Bool {
        others.contains { number == $0.number && isSame(as: $0) }
    }

    /// Whether it is the same segment, whatever its number: the same name and, where both say one, the same
    /// date.
    func isSame(as other: SeenEntry) -> Bool {
        comparedName == other.comparedName
            && distance(to: other).map { $0.magnitude <= max(duration, 0).magnitude / 2 } ?? true
    }

    /// Pairs of entries of two playlists that have the same number.
    ///
    /// Both are in the order of their numbers.
    static func pairs(_ entries: [SeenEntry], in others: [SeenEntry]) -> [(new: SeenEntry, known: SeenEntry)]
    {
        var pairs: [(new: SeenEntry, known: SeenEntry)] = []
        forEachPair(entries, in: others) { pairs.append((entries[$0], others[$1])) }
        return pairs
    }

    /// Calls `take` with the indices of each pair of entries that have the same number.
    private static func forEachPair(
        _ entries: [SeenEntry], in others: [SeenEntry], _ take: (_ new: Int, _ known: Int) -> Void,
    ) {
        guard let first = entries.first else { return }
        var place = others.firstIndex { $0.number >= first.number } ?? others.count
        for index in entries.indices {
            while place < others.count, others[place].number < entries[index].number { place += 1 }
            guard place < others.count else { break }
            if others[place].number == entries[index].number { take(index, place) }
        }
    }

    /// Whether most of the numbers that two playlists share have other names.
    static func haveOtherNames(_ entries: [SeenEntry], than others: [SeenEntry]) -> Bool {
        var (count, otherCount) = (0, 0)
        forEachPair(entries, in: others) { new, known in
            count += 1
            if entries[new].comparedName != others[known].comparedName { otherCount += 1 }
        }
        return otherCount * 2 > count
    }

    /// How far the dates are apart, microseconds; nil unless both have one.
    func distance(to other: SeenEntry) -> Int64? {
        guard let date, let before = other.date else { return nil }
        return date - before
    }

    /// Whether two entries under the same number are the same segment.
    ///
    /// Different names do not matter if the dates are equal, or if the source renames its segments.
    static func isSame(_ entry: MediaSegment, as other: MediaSegment, areRenamed: Bool) -> Bool {
        if comparedName(of: entry) == comparedName(of: other) { return true }
        guard entry.byteRange == other.byteRange else { return false }
        let date = entry.programDateTimeMicroseconds
        return areRenamed || date != nil && date == other.programDateTimeMicroseconds
    }

    /// The last part of its URI's path.
    static func name(of entry: MediaSegment) -> String { lastName(of: entry.uri, known: nil) }

    static func comparedName(of entry: MediaSegment, known: String? = nil) -> String {
        let name = lastName(of: entry.uri, known: known)
        return entry.byteRange.map { "\(name)@\($0.offset)" } ?? name
    }

    /// The last component of a URI's path; works on bytes, because it runs for each entry of each load.
    private static func lastName(of uri: String, known: String?) -> String {
        let (bytes, name) = (uri.utf8.span, range(ofLastNameIn: uri.utf8.span))
        if let known, isEqual(known.utf8.span, bytes, name) { return known }
        let begin = uri.utf8.index(uri.utf8.startIndex, offsetBy: name.lowerBound)
        return String(Substring(uri.utf8[begin...].prefix(name.count)))
    }

    private static func range(ofLastNameIn bytes: Span<UInt8>) -> Range<Int> {
        var end = 0
        while end < bytes.count, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") { end += 1 }
        while end > 0, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
        var begin = end
        while begin > 0, bytes[begin - 1] != UInt8(ascii: "/") { begin -= 1 }
        return begin..<end
    }

    private static func isEqual(_ name: Span<UInt8>, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard name.count == range.count else { return false }
        for (index, other) in zip(name.indices, range) where name[index] != bytes[other] { return false }
        return true
    }
}
