/// A segment as a media playlist lists it.
struct Listing: Sendable, Equatable {
    var number: Int
    /// Relative to the media playlist.
    var uri: String
    var durationSeconds: Double
    /// Seconds since 1970; nil when the channel has no dates.
    var date: Double?
    var isDiscontinuity = false
    var isGap = false
    var cipher: SegmentCipher?
    /// The initialization section, relative to the media playlist.
    var map: String?
}
