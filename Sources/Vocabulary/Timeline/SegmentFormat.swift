/// Everything a player must know before it can decode a segment: container, tracks, initialization section
/// and key.
///
/// Segments with the same format can follow each other without a discontinuity.
package struct SegmentFormat: Hashable, Sendable, Codable {
    package var container: SegmentExtension
    /// The tracks as `kind:codec` in stream order, for example `video:h264,audio:aac`.
    package var tracks: String
    /// RFC 6381 codecs, separated by commas; empty if unknown.
    package var codecs: String
    /// Picture size in pixels; zero if unknown.
    package var width: Int
    package var height: Int
    /// Samples of the first audio track in a second; nil if unknown.
    package var sampleRate: Int?
    /// Channels of the first audio track if it is AAC; nil if unknown.
    package var audioChannels: Int?
    /// File name of the initialization section (EXT-X-MAP); nil if the container has none.
    package var initName: String?
    /// METHOD of EXT-X-KEY; nil if the segments are clear.
    package var keyMethod: String?
    /// Id of the recorded key; nil if there is none or its format is not `identity`.
    package var keyName: String?
    /// EXT-X-KEY lines of DRM systems as received, because their keys cannot be recorded.
    package var drmTags: [String]

    package init(container: SegmentExtension, tracks: String = "", codecs: String = "") {
        self.container = container
        self.tracks = tracks
        self.codecs = codecs
        width = 0
        height = 0
        drmTags = []
    }

    private enum CodingKeys: String, CodingKey {
        case container, tracks, codecs, width, height, sampleRate, audioChannels, initName, keyMethod
        case keyName, drmTags
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            container: try stored.read(.container), tracks: try stored.read(.tracks, default: ""),
            codecs: try stored.read(.codecs, default: ""))
        width = try stored.read(.width, default: 0)
        height = try stored.read(.height, default: 0)
        sampleRate = try stored.readIfPresent(.sampleRate)
        audioChannels = try stored.readIfPresent(.audioChannels)
        initName = try stored.readIfPresent(.initName)
        keyMethod = try stored.readIfPresent(.keyMethod)
        keyName = try stored.readIfPresent(.keyName)
        drmTags = try stored.read(.drmTags, default: [])
    }

    /// A text that is equal for equal formats; its digest identifies the format in the catalogue.
    package var canonicalText: String {
        let parts: [String] = [
            container.rawValue, tracks, codecs, "\(width)x\(height)", initName ?? "", keyMethod ?? "",
            keyName ?? "",
        ]
        // Formats without them keep the digest that they had.
        let audio = [sampleRate.map { "\($0) Hz" }, audioChannels.map { "\($0) channels" }]
        return (parts + audio.compactMap { $0 } + drmTags).joined(separator: "\n")
    }

    package var hasVideo: Bool { tracks.contains("video:") }
    package var hasAudio: Bool { tracks.contains("audio:") }
    /// Whether its tracks are known and none of them is audio.
    package var isSilent: Bool { !tracks.isEmpty && !hasAudio }

    /// Whether a decoder goes on from the other format without being told.
    ///
    /// The container, the tracks, the initialization section, the picture size, the profiles, the sample rate
    /// and the number of audio channels must be the same, as far as both are known. Keys may change.
    package func followsSeamlessly(_ other: SegmentFormat) -> Bool {
        guard container == other.container, initName == other.initName, tracks == other.tracks else {
            return false
        }
        let sizes = [
            (width, other.width), (height, other.height), (sampleRate ?? 0, other.sampleRate ?? 0),
            (audioChannels ?? 0, other.audioChannels ?? 0),
        ]
        return sizes.allSatisfy { $0 == $1 || $0 == 0 || $1 == 0 }
            && (codecs == other.codecs || codecs.isEmpty || other.codecs.isEmpty)
    }

    /// The format, with what only the other one knows of the same tracks.
    package func completed(by other: SegmentFormat) -> SegmentFormat {
        var format = self
        if codecs.isEmpty { format.codecs = other.codecs }
        if width == 0 { (format.width, format.height) = (other.width, other.height) }
        format.sampleRate = sampleRate ?? other.sampleRate
        format.audioChannels = audioChannels ?? other.audioChannels
        return format
    }

    /// Whether a player can continue with a segment of the other format in the same playlist, after a
    /// discontinuity.
    ///
    /// The container must be the same, and no kind of track may appear or disappear.
    package func continues(_ other: SegmentFormat) -> Bool {
        container == other.container && hasVideo == other.hasVideo && hasAudio == other.hasAudio
    }

    /// A run that lacks a kind of track is left out of answers if it is shorter than this, microseconds.
    ///
    /// Viewers lose less than if the answer ended there.
    package static let longRunMicroseconds: Int64 = 60 * Microseconds.perSecond

    /// Whether both can be in one playlist: they have the same container and, as far as known, the same kinds
    /// of tracks.
    package func joins(_ other: SegmentFormat) -> Bool {
        if tracks == other.tracks || tracks.isEmpty || other.tracks.isEmpty {
            return container == other.container
        }
        return continues(other)
    }

    /// Whether it has some but not all kinds of tracks of another format in the same container.
    package func lacksTracks(of other: SegmentFormat) -> Bool {
        container == other.container && !joins(other)
            && (!hasVideo || other.hasVideo) && (!hasAudio || other.hasAudio)
    }
}
