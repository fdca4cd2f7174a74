import HLS
import Timeline

/// What is remembered of a playlist's entry, to know it again.
struct SeenEntry: Sendable, Equatable {
    var number: Int64
    /// The last part of the URI's path, with the offset of a byte range: hosts, folders and queries may
    /// change with each load.
    var core: String
    var date: Instant?
    /// Microseconds, as listed.
    var duration: Int64

    /// Nil when the playlist has no such entry, or its number is beyond reason.
    init?(_ playlist: MediaPlaylist, _ index: Int) {
        guard let number = PlaylistFollower.number(playlist, index) else { return nil }
        let entry = playlist.segments[index]
        self.number = number
        core = Self.core(of: entry)
        date = entry.programDateTimeMicroseconds.map { Instant(microseconds: $0) }
        duration = entry.durationMicroseconds
    }

    /// The newest entries of a playlist, at most `Limits.recentEntries`.
    static func entries(of playlist: MediaPlaylist) -> [SeenEntry] {
        playlist.segments.indices.suffix(Limits.recentEntries).compactMap { SeenEntry(playlist, $0) }
    }

    /// Whether the same number had the same name and, where both say one, the same date.
    func isKnown(in others: [SeenEntry]) -> Bool {
        others.contains { number == $0.number && isSame(as: $0) }
    }

    /// Whether it is the same segment, whatever its number: the same name and, where both say one, the same
    /// date.
    func isSame(as other: SeenEntry) -> Bool {
        core == other.core
            && distance(to: other).map { $0.magnitude <= max(duration, 0).magnitude / 2 } ?? true
    }

    /// The numbers that two playlists share, with what stands there in each.
    ///
    /// Both are in the order of their numbers.
    static func pairs(_ entries: [SeenEntry], in others: [SeenEntry]) -> [(new: SeenEntry, known: SeenEntry)]
    {
        guard let first = entries.first else { return [] }
        var place = others.firstIndex { $0.number >= first.number } ?? others.count
        var pairs: [(new: SeenEntry, known: SeenEntry)] = []
        for entry in entries {
            while place < others.count, others[place].number < entry.number { place += 1 }
            guard place < others.count else { break }
            if others[place].number == entry.number { pairs.append((entry, others[place])) }
        }
        return pairs
    }

    /// Whether most of the numbers that two playlists share have other names.
    static func nameOthers(_ entries: [SeenEntry], than others: [SeenEntry]) -> Bool {
        let pairs = pairs(entries, in: others)
        return pairs.count { $0.new.core != $0.known.core } * 2 > pairs.count
    }

    /// How far the dates are apart, microseconds; nil unless both have one.
    func distance(to other: SeenEntry) -> Int64? {
        guard let date, let before = other.date else { return nil }
        return date - before
    }

    static func core(of entry: MediaSegment) -> String {
        let name = lastName(of: entry.uri)
        return entry.byteRange.map { "\(name)@\($0.offset)" } ?? name
    }

    /// The last part of a URI's path; by bytes, as each load names each entry.
    private static func lastName(of uri: String) -> String {
        var path = uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        let begin = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) }
        return String(Substring(path[(begin ?? path.startIndex)...]))
    }
}
