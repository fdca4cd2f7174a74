/// One stream of a segment or initialization section.
package struct Track: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case video
        case audio
        case subtitles
        /// Metadata, cue messages and unknown kinds.
        case other
    }

    /// The PID in a transport stream, the track ID in fMP4, 0 where there is only one track.
    package var id: UInt32
    package var kind: Kind
    /// A short name such as "h264" or "aac"; nil when the container does not say.
    package var codec: String?
    /// The codec in the form of CODECS (RFC 6381), such as "avc1.64001f".
    package var codecString: String?
    /// The size of the displayed picture: cropped, with square pixels.
    package var resolution: Resolution?
    /// Of audio, in hertz; nil when it is not known.
    package var sampleRate: Int?
    /// Of AAC with a header in each frame; nil when it is not known.
    package var audioChannels: Int?
    package var firstTimestamp: MediaTimestamp?
    package var lastTimestamp: MediaTimestamp?
    package var durationMicroseconds: Int64?

    package init(
        id: UInt32, kind: Kind, codec: String? = nil, codecString: String? = nil,
        resolution: Resolution? = nil
    ) {
        self.id = id
        self.kind = kind
        self.codec = codec
        self.codecString = codecString
        self.resolution = resolution
    }
}

extension [Track] {
    /// The track whose times are those of the segment: the first with a time among video, then audio, then
    /// any.
    var leading: Track? {
        let timed = filter { $0.firstTimestamp != nil }
        return timed.first { $0.kind == .video } ?? timed.first { $0.kind == .audio } ?? timed.first
    }
}
