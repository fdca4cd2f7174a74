import Concurrency
import HLS
import Timeline

/// New segments of a rendition that are more than its queue takes: they are fetched in turns, for as long as
/// the source lists them.
///
/// What was decided when they were first listed is kept; their URLs come from the playlist of their turn.
struct DeferredSegments: Sendable {
    private struct Deferred: Sendable {
        var placed: PlacedSegment
        var arrival: Instant
        var flags: SegmentFlags
        var expectedDuration: Int64
        var discontinuityCount: Int
        var availableUntil: SteadyInstant
    }

    /// By number.
    private var segments: [Deferred] = []

    var isEmpty: Bool { segments.isEmpty }

    /// Adds segments with higher numbers than those that wait already.
    mutating func add(_ listed: some Collection<ListedSegment>) {
        segments += listed.map {
            Deferred(
                placed: $0.placed, arrival: $0.arrival, flags: $0.flags,
                expectedDuration: $0.expectedDuration, discontinuityCount: $0.discontinuityCount,
                availableUntil: $0.availableUntil)
        }
    }

    /// Takes the oldest ones that a playlist of the same source run lists: they are the first to leave it.
    ///
    /// The numbers of the playlist are corrected by `alignment`.
    ///
    /// - Returns: at most `limit` of them, and all that the playlist does not list any more
    mutating func takeDue(
        in playlist: MediaPlaylist, _ alignment: NumberAlignment, limit: Int,
    ) -> (due: [ListedSegment], expired: [PlacedSegment]) {
        guard let first = PlaylistFollower.number(playlist, 0) else { return ([], []) }
        let expired = segments.prefix { $0.placed.identity.number < first }
        let due = segments.dropFirst(expired.count).prefix(limit).prefix {
            playlist.segments.indices.contains(Int($0.placed.identity.number - first))
        }
        segments.removeFirst(expired.count + due.count)
        return (
            due.map { segment in
                let index = Int(segment.placed.identity.number - first)
                return ListedSegment(
                    placed: segment.placed, entry: playlist.segments[index], arrival: segment.arrival,
                    flags: segment.flags, expectedDuration: segment.expectedDuration,
                    listedNumber: alignment.listedNumber(playlist, index),
                    discontinuityCount: segment.discontinuityCount, availableUntil: segment.availableUntil)
            }, expired.map(\.placed)
        )
    }

    /// Gives up all of them: the source run has ended.
    mutating func end() -> [PlacedSegment] {
        defer { segments = [] }
        return segments.map(\.placed)
    }
}
