import HLS
import Timeline

/// What a recorder that comes back still lacks of the numbers it had come to: segments that were on their way when it
/// ended, and that the source may list still.
struct MissedEntries: Sendable {
    /// Times of what is held, by number in the feed.
    private(set) var held: [Int64: TimeWindow] = [:]

    init(_ held: [Int64: TimeWindow] = [:]) {
        self.held = held
    }

    /// A segment of the feed is held after all; of very many the oldest are forgotten.
    mutating func hold(_ number: Int64, _ window: TimeWindow) {
        held[number] = window
        guard held.count > 2 * Limits.heldNumbers else { return }
        for number in held.keys.sorted().dropLast(Limits.heldNumbers) { held[number] = nil }
    }

    /// Entries of a list that lie between what is held, with the time that the held ones leave them.
    func found(in list: MediaPlaylist, before end: Int) -> [(index: Int, window: TimeWindow)] {
        var found: [(index: Int, window: TimeWindow)] = []
        var cursor: Instant?
        let target = PlaylistFollower.target(of: list)
        for index in list.segments.indices.prefix(end) {
            guard let number = PlaylistFollower.number(list, index) else { break }
            if let window = held[number] {
                cursor = window.end
            } else if let start = cursor {
                let duration = PlaylistFollower.duration(of: list.segments[index])
                let next = min(start + (duration ?? target), limit(after: number))
                if next > start { found.append((index, TimeWindow(begin: start, end: next))) }
                cursor = next
            }
        }
        return found.filter { entry in
            PlaylistFollower.number(list, entry.index).map { $0 < held.keys.max() ?? .min } ?? false
        }
    }

    /// Where the next held segment begins.
    private func limit(after number: Int64) -> Instant {
        held.filter { $0.key > number }.min { $0.key < $1.key }?.value.begin ?? Instant(microseconds: .max)
    }
}
