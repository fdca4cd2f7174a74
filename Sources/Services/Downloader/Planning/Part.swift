import HLS
import HTTP

/// Identifies a segment of a source in each version of its playlist, whatever token its URL has.
struct PartIdentity: Hashable, Sendable, Codable {
    /// The media sequence number.
    var number: UInt64
    /// The path of its URL where it was listed first, without a playback token of Backcast.
    var path: String
    var offset: UInt64?
    var length: UInt64?
    /// How often the encoder had restarted with known numbers and paths; nil before the first time.
    var run: Int?

    init(number: UInt64, url: HTTPURL, range: HLS.ByteRange?) {
        self.number = number
        path = url.redactedPath
        offset = range?.offset
        length = range?.length
    }

    /// Whether it is the segment right after another one.
    func follows(_ previous: PartIdentity) -> Bool { run == previous.run && number == previous.number &+ 1 }

    enum CodingKeys: String, CodingKey {
        case number = "n"
        case path = "p"
        case offset = "o"
        case length = "l"
        case run = "r"
    }
}

/// The names of a segment in the folder, as they are kept there: a line of the file `.parts`.
struct PartNames: Sendable, Equatable, Codable {
    var identity: PartIdentity
    /// Within the folder of the rendition.
    var file: String
    /// Within the folder of the rendition.
    var initSection: String?
    /// Within the folder `keys`.
    var key: String?

    enum CodingKeys: String, CodingKey {
        case identity = "s"
        case file = "f"
        case initSection = "i"
        case key = "k"
    }
}

/// A segment of the presentation, where it comes from and where it goes.
struct Part: Sendable {
    var names: PartNames
    /// As the source lists it; the URI is not used again.
    var segment: MediaSegment
    var url: HTTPURL
    /// The key that opens the segment; nil when it is clear.
    var key: PartKey?
    var initSection: PartInitSection?
    /// Seconds from the start of the presentation.
    var position: Double
    /// Whether its file is there.
    var isDone = false
    /// Whether the source dropped it before it was known.
    var isLost = false
    var byteCount: Int64 = 0

    var seconds: Double { Double(segment.durationMicroseconds) / 1_000_000 }
    /// Whether there is nothing to fetch any more.
    var isSettled: Bool { isDone || segment.isGap }
}

/// A key with METHOD=AES-128.
struct PartKey: Sendable, Hashable {
    /// An address, or a `data:` URI.
    var uri: String
    var vector: UInt128
}

/// An initialization section.
struct PartInitSection: Sendable, Hashable {
    var url: HTTPURL
    var range: HLS.ByteRange?
    var key: PartKey?
    /// The name of the key in the folder `keys`.
    var keyName: String?
}
