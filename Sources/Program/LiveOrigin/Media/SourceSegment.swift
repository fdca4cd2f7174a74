/// A segment that is ready to be published.
struct SourceSegment: Sendable {
    var rendition: String
    var durationSeconds: Double
    /// The wall clock of its first sample, seconds since 1970.
    var startSeconds: Double
    var media: SourceMedia
    /// Its time stamps do not continue those before it.
    var isDiscontinuity = false
}
