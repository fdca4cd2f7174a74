import HLS

/// Which variant of a multivariant playlist is taken.
package enum QualityChoice: Sendable, Equatable, Codable {
    case best
    case worst
    /// The highest picture that is not above so many pixels, else the lowest.
    case height(Int)
    /// The lowest with at least so many bits per second, else the highest.
    case bitRate(Int)

    /// Reads `best`, `worst`, `720p` or `2000000`.
    package init?(_ text: String) {
        switch text {
        case "best": self = .best
        case "worst": self = .worst
        default:
            let isHeight = text.hasSuffix("p")
            guard let number = Int(isHeight ? text.dropLast() : text[...]), number > 0,
                text.utf8.first != UInt8(ascii: "+")
            else { return nil }
            self = isHeight ? .height(number) : .bitRate(number)
        }
    }

    /// The index of the chosen variant; nil when there is none.
    ///
    /// Audio-only variants count only where there are no others.
    func index(in variants: [VariantStream]) -> Int? {
        let withVideo = variants.indices.filter { !variants[$0].isAudioOnly }
        let candidates = withVideo.isEmpty ? Array(variants.indices) : withVideo
        let rank = { (index: Int) in (variants[index].bandwidth, variants[index].resolution?.height ?? 0) }
        let lowest = candidates.min { rank($0) < rank($1) }
        let highest = candidates.max { rank($0) < rank($1) }
        switch self {
        case .best: return highest
        case .worst: return lowest
        case .height(let limit):
            let fitting = candidates.filter { variants[$0].resolution.map { $0.height <= limit } ?? false }
            let height = { (index: Int) in variants[index].resolution?.height ?? 0 }
            return fitting.max { (height($0), rank($0).0) < (height($1), rank($1).0) } ?? lowest
        case .bitRate(let limit):
            return candidates.filter { variants[$0].bandwidth >= limit }.min { rank($0) < rank($1) }
                ?? highest
        }
    }
}

extension VariantStream {
    /// Whether the variant has no video, as far as it says what it has.
    var isAudioOnly: Bool {
        guard resolution == nil, let codecs else { return false }
        let audioCodecs = ["mp4a", "ac-3", "ec-3", "opus", "flac", "fLaC", "Opus", "mp3", "alac"]
        return codecs.split(separator: ",").allSatisfy { codec in
            let codec = codec.drop { $0 == " " }
            return audioCodecs.contains { codec.hasPrefix($0) }
        }
    }
}
