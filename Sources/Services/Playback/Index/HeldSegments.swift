package import Catalogue
package import Timeline

/// Which of the stored segments of a window are wanted.
enum SegmentScope: Sendable {
    /// All stored segments.
    case archive
    /// Published segments before the watermark: those that a growing playlist may list.
    case published
}

/// What the archive holds of a channel for one window; playlists are composed from it.
package struct HeldSegments: Sendable {
    package var publishedHead: PublishedHead
    /// All renditions of the channel, ordered by id, also those that hold nothing in the window.
    package var renditions: [ListedRendition]
    package var formats: [Int32: SegmentFormat]
    /// Those that lie in the window, in the order of their begins.
    package var markers: [MarkerText] = []
    /// Where the target duration rose; for growing playlists.
    package var targetRises: [TargetRise] = []

    var targets: TargetDurations { TargetDurations(targetRises, publishedHead) }

    /// Slices of blocks, of all renditions.
    var pieceCount: Int { renditions.reduce(0) { $0 + $1.segments.pieces.count } }

    /// Whether a segment of any rendition overlaps a window.
    func overlaps(_ window: TimeWindow) -> Bool {
        renditions.contains { $0.segments.overlaps(window) }
    }
}
