/// The options of a channel, the same for all channels of a run.
struct ChannelOptions: Sendable {
    enum Encryption: String, Sendable, CaseIterable {
        case none
        case aes128 = "aes-128"
    }

    var layout: Layout
    var segmentSeconds: Double
    /// The shortest time that a playlist lists.
    var listSeconds = 30.0
    var hasDates = true
    var encryption = Encryption.none
    /// Segments per key; nil keeps the first key.
    var rotation: Int?
    /// Whether the playlist states the IV instead of leaving it to the media sequence number.
    var hasExplicitIV = false
    /// Nil announces none.
    var breaks: Breaks?
    /// Whether the multivariant playlist describes the same renditions with other names and attributes.
    var usesAlternateNames = false
    /// Whether the multivariant playlist names closed captions in the video.
    var hasCaptions = false
    /// Bits per second of each rendition: the peak, and the mean.
    var bandwidths: [String: Bandwidth] = [:]

    struct Bandwidth: Sendable, Equatable {
        var peak: Int
        var average: Int
    }

    /// Seconds, constant for a channel; audio frames may extend beyond by some hundredths.
    var targetDuration: Int { max(1, Int((segmentSeconds + 0.04).rounded())) }

    /// How long a segment can be fetched after it left the playlist.
    var retirementSeconds: Double { listSeconds * 2 + segmentSeconds }
}
