/// A segment that is ready to be published.
struct SourceSegment: Sendable {
    var rendition: String
    var durationSeconds: Double
    /// The wall-clock time of its first sample, seconds since 1970.
    var startSeconds: Double
    var media: SourceMedia
    /// Whether its timestamps do not continue those of the preceding one.
    var isDiscontinuity = false
}

/// The text that makes every published segment different from all others.
struct Stamp: Sendable, Equatable {
    var channel: String
    var rendition: String
    var sourceRun: Int
    var number: Int

    var text: String {
        "live-origin channel=\(channel) rendition=\(rendition) run=\(sourceRun) number=\(number)"
    }
}
