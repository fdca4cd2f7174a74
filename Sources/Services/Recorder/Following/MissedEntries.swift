import Concurrency
import HLS
import Monitoring
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
        // The entry before the first one may have left the playlist.
        var cursor = (held[first - 1] ?? placed[first - 1])?.end
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

/// A listed segment that is to be fetched, and why it is lost if it leaves the playlist before.
struct UnfetchedSegment: Sendable, Equatable {
    var placed: PlacedSegment
    /// `keyMissing` where another node has stored it without its key.
    var reason: GapReason

    init(_ placed: PlacedSegment, reason: GapReason = .segmentExpired) {
        (self.placed, self.reason) = (placed, reason)
    }
}

/// What an earlier process had listed, and had not stored when it ended.
extension RenditionProgress {
    /// Returns the missed segments that a playlist still lists; later calls return none.
    mutating func takeMissed(
        of playlist: MediaPlaylist, before end: Int, arrival: Arrival, availableUntil: SteadyInstant,
    ) -> [ListedSegment] {
        defer { missed = MissedEntries() }
        return missedSegments(of: playlist, before: end, arrival: arrival, availableUntil: availableUntil)
    }

    /// Lists the missed segments of a playlist without new entries, because the next one may not list them.
    ///
    /// It is not known yet whether the source continues the numbering of the earlier process.
    mutating func listMissed(of playlist: MediaPlaylist, at arrival: Arrival, _ listing: inout Listing) {
        guard isResuming else { return }
        let count = playlist.segments.count
        listing.parts = takeIncomplete(of: playlist, before: count, arrival: arrival)
        listing.segments = missedSegments(
            of: playlist, before: count, arrival: arrival,
            availableUntil: arrival.steady + .microseconds(Self.listedFor(playlist)))
        listing.isOnlyRelisted = true
        status.seen += listing.segments.count
        for segment in listing.segments {
            unfetched.removeAll { $0.placed.identity == segment.identity }
            missed.hold(segment.identity.number, segment.placed.window)
        }
    }

    private func missedSegments(
        of playlist: MediaPlaylist, before end: Int, arrival: Arrival, availableUntil: SteadyInstant,
    ) -> [ListedSegment] {
        missed.found(in: playlist, before: end, placed: unfetchedWindows).compactMap { index, window in
            guard let number = PlaylistFollower.number(playlist, index), digests[number] == nil else {
                return nil
            }
            return relisted(index, of: playlist, at: window, arrival, until: availableUntil)
        }
    }

    /// The windows of segments that an earlier process had not fetched, by number in `run`.
    var unfetchedWindows: [Int64: TimeWindow] {
        let placed = unfetched.map(\.placed).filter { $0.identity.run == run }
        return Dictionary(
            placed.map { ($0.identity.number, $0.window) }, uniquingKeysWith: { $1 })
    }

    /// An entry with the window that an earlier process gave it; nil if another source has filled that
    /// window.
    func relisted(
        _ index: Int, of playlist: MediaPlaylist, at window: TimeWindow, _ arrival: Arrival,
        until available: SteadyInstant? = nil,
    ) -> ListedSegment? {
        guard let run, let number = PlaylistFollower.number(playlist, index), !isFilled(window) else {
            return nil
        }
        let entry = playlist.segments[index]
        return ListedSegment(
            placed: PlacedSegment(
                identity: SegmentIdentity(rendition: id, run: run, number: number), start: window.begin,
                duration: window.microseconds,
                boundary: entry.discontinuityCount > 0 ? .listed : nil),
            entry: entry, arrival: arrival.date, flags: NewEntries.flags(of: playlist, index),
            listedNumber: alignment.listedNumber(playlist, index), discontinuityCount: discontinuityCount,
            availableUntil: available ?? arrival.steady + .microseconds(Self.listedFor(playlist)))
    }
}
