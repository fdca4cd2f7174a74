/// The container of media segments.
enum Container: String, Sendable, CaseIterable {
    case ts
    case fmp4

    var fileExtension: String { self == .ts ? "ts" : "m4s" }
}

/// Whether audio is in the video's segments or in a rendition of its own.
enum AudioPlacement: String, Sendable, CaseIterable {
    case muxed
    case separate
}

/// One rendition of a channel: a media playlist and its segments.
struct Rendition: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case video(width: Int, height: Int)
        case audio
        case subtitles
    }

    /// "v0", "a0" or "s0".
    var id: String
    var kind: Kind
    /// The bit rate for the encoder; 0 for subtitles.
    var bitsPerSecond: Int

    var isVideo: Bool {
        if case .video = kind { true } else { false }
    }
}

/// The renditions of a channel.
struct Layout: Sendable, Equatable {
    var container: Container
    var audio: AudioPlacement
    var renditions: [Rendition]

    static let framesPerSecond = 25
    static let audioBitsPerSecond = 96_000

    /// Sizes from large to small; each has half the bit rate of the preceding one.
    private static let sizes = [(640, 360), (424, 240), (256, 144)]

    /// One or three video renditions, and the others.
    init(container: Container, audio: AudioPlacement, variants: Int, bitsPerSecond: Int, hasSubtitles: Bool) {
        self.container = container
        self.audio = audio
        renditions = Self.sizes.prefix(variants).enumerated().map { index, size in
            Rendition(
                id: "v\(index)", kind: .video(width: size.0, height: size.1),
                bitsPerSecond: max(50_000, bitsPerSecond >> index))
        }
        if audio == .separate {
            renditions.append(Rendition(id: "a0", kind: .audio, bitsPerSecond: Self.audioBitsPerSecond))
        }
        if hasSubtitles { renditions.append(Rendition(id: "s0", kind: .subtitles, bitsPerSecond: 0)) }
    }

    var videos: [Rendition] { renditions.filter(\.isVideo) }

    /// Renditions the encoder makes; subtitles are made here.
    var encoded: [Rendition] { renditions.filter { $0.kind != .subtitles } }

    /// A single playlist with everything in it needs no multivariant playlist.
    var isMultivariant: Bool { renditions.count > 1 }

    func fileExtension(of rendition: Rendition) -> String {
        rendition.kind == .subtitles ? "vtt" : container.fileExtension
    }
}
