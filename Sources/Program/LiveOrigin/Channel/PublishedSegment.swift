/// How to produce a published segment's bytes again, which needs less memory than the bytes of every channel.
struct PublishedSegment: Sendable {
    var media: SourceMedia
    var stamp: Stamp
    var cipher: SegmentCipher?

    /// The segment before encryption.
    func clearBytes() -> [UInt8] { media.bytes(with: stamp) }

    /// The segment as it is served.
    func bytes() throws -> [UInt8] {
        let clear = clearBytes()
        guard let cipher else { return clear }
        return try cipher.encrypted(clear)
    }
}

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
