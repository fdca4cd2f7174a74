package import Timeline

/// The properties of a segment, without decoding.
package struct MediaInspection: Equatable, Sendable {
    package var container: Container
    package var integrity: Integrity
    package var byteCount: Int
    /// In the order of the program's table or of the initialization section.
    package var tracks: [Track]
    /// The earliest time of the leading track.
    package var firstTimestamp: MediaTimestamp?
    /// The latest time at which a frame of the leading track begins.
    package var lastTimestamp: MediaTimestamp?
    /// The duration of the leading track, including its last frame.
    package var durationMicroseconds: Int64?
    /// Whether video decoding can begin here; nil without video or when it is unknown.
    package var startsWithKeyFrame: Bool?
    /// The key frames of the first video track, in fMP4 the first of each fragment; nil without any.
    package var keyFrames: KeyFrames?

    /// RFC 6381 strings of video and audio in order, for CODECS; nil when one of them is unknown.
    package var codecStrings: [String]? {
        let heard = tracks.filter { $0.kind == .video || $0.kind == .audio }
        let strings = heard.compactMap(\.codecString)
        return heard.isEmpty || strings.count < heard.count ? nil : strings
    }

    package var resolution: Resolution? {
        tracks.lazy.compactMap(\.resolution).first
    }

    /// Of the first audio track, in hertz.
    package var sampleRate: Int? {
        tracks.lazy.compactMap(\.sampleRate).first
    }

    /// Of the first audio track.
    package var audioChannels: Int? {
        tracks.first { $0.kind == .audio }?.audioChannels
    }
}

package enum Container: Equatable, Sendable {
    case transportStream
    case fragmentedMP4
    case packedAudio(PackedAudioKind)
    case webVTT
}

/// The formats of packed audio (RFC 8216bis §3.4).
package enum PackedAudioKind: Equatable, Sendable {
    case aac
    case mp3
    case ac3
    case eac3
}

/// Whether all bytes are there.
package enum Integrity: Equatable, Sendable {
    case whole
    /// The first fault. The bytes may still be playable.
    case damaged(Damage)
}

package struct Resolution: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
