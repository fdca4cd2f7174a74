import HLS
import Timeline

/// Segments that were being fetched when an earlier process ended, and that the source may still list.
struct MissedEntries: Sendable {
    /// Times of the stored segments, by number in the source run.
    private(set) var held: [Int64: TimeWindow] = [:]

    init(_ held: [Int64: TimeWindow] = [:]) {
        self.held = held
    }

    /// Adds a stored segment of the source run; beyond the limit the oldest are dropped.
    mutating func hold(_ number: Int64, _ window: TimeWindow) {
        held[number] = window
        guard held.count > 2 * Limits.heldNumbers else { return }
        for number in held.keys.sorted().dropLast(Limits.heldNumbers) { held[number] = nil }
    }

    /// Entries before `end` that are not held, with their windows.
    ///
    /// An entry of `placed` (by number) has its window there; others get the time between held ones, if any.
    func found(
        in playlist: MediaPlaylist, before end: Int, placed: [Int64: TimeWindow] = [:],
    ) -> [(index: Int, window: TimeWindow)] {
        guard let first = PlaylistFollower.number(playlist, 0) else { return [] }
        var found: [(index: Int, window: TimeWindow)] = []
        var cursor: Instant?
        let target = PlaylistFollower.target(of: playlist)
        var later = (Array(held.keys) + Array(placed.keys)).filter { $0 > first }.sorted()[...]
        for index in playlist.segments.indices.prefix(end) {
            guard let number = PlaylistFollower.number(playlist, index) else { break }
            if let window = held[number] {
                cursor = window.end
            } else if let window = placed[number] {
                found.append((index, window))
                cursor = window.end
            } else if let start = cursor {
                later = later.drop { $0 < number }
                guard let next = later.first.flatMap({ (held[$0] ?? placed[$0])?.begin }) else { break }
                let duration = PlaylistFollower.duration(of: playlist.segments[index])
                let stop = min(start + (duration ?? target), next)
                if stop > start { found.append((index, TimeWindow(begin: start, end: stop))) }
                cursor = stop
            }
        }
        return found
    }
}
