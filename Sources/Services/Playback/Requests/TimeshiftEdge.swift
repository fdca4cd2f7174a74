import Catalogue
import Timeline

/// The end of a playlist whose third-last segment plays at an instant.
///
/// Only renditions that play at the instant decide, not those that ended before it or begin later. The edge
/// never moves back while the instant moves forward, even where a rendition ends or begins, or in a hole.
enum TimeshiftEdge {
    /// The edge of the playlist that starts at an instant, at most `end`; the segments are those near it.
    static func edge(startingAt start: Instant, _ listed: [ListedRendition], upTo end: Instant) -> Instant {
        let media = listed.filter { $0.id.kind != .subtitles && !$0.segments.isEmpty }
        let considered = media.isEmpty ? listed : media
        let parts = considered.compactMap { TimeshiftPart($0, at: start) }
        let playing = parts.filter { $0.begin <= start }
        let videos = parts.filter(\.isVideo)
        if let edge = playing.filter(\.isVideo).map(\.end).max() { return min(edge, end) }
        // A video that begins next decides from then on.
        let next = videos.min { $0.begin < $1.begin }
        let edge = playing.map(\.end).max() ?? parts.min { $0.begin < $1.begin }?.end
        if let edge { return min(edge, next?.end ?? edge, end) }
        return min(considered.compactMap(\.segments.last?.end).max() ?? start, end)
    }
}

/// The segments of a rendition that the playlist has from its start on, as far as they follow each other.
private struct TimeshiftPart {
    var isVideo: Bool
    /// The begin of the segment that plays at the start, or of the next one if none does.
    var begin: Instant
    /// The end of the second segment after the one that plays, or of the second one that comes.
    var end: Instant

    /// Nil if the rendition neither plays at the start nor goes on after it.
    init?(_ rendition: ListedRendition, at start: Instant) {
        let segments = Array(rendition.segments)
        var first = (segments.lastIndex { $0.start <= start } ?? -1) + 1
        let isPlaying = first > 0 && segments.continues(after: first - 1, at: start)
        if isPlaying { first -= 1 }
        guard segments.indices.contains(first) else { return nil }
        var last = first
        let behind = isPlaying ? Limits.segmentsAfterStart : Limits.segmentsAfterStart - 1
        while last < first + behind, segments.isFollowed(last) { last += 1 }
        (isVideo, begin, end) = (rendition.id.kind == .video, segments[first].start, segments[last].end)
    }
}

extension [RecordedSegment] {
    /// Whether the next segment follows without a hole.
    fileprivate func isFollowed(_ index: Int) -> Bool {
        index + 1 < count && self[index + 1].start - self[index].end <= Limits.holeTolerance
    }

    /// Whether a segment that has begun still plays at an instant before the next one.
    fileprivate func continues(after index: Int, at instant: Instant) -> Bool {
        instant < self[index].end || isFollowed(index)
    }
}
