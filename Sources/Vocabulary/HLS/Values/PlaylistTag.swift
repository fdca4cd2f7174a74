/// Every known tag, by the name that follows `#` (RFC 8216bis §4.4 and the vendors' cue tags).
package enum PlaylistTag: String, CaseIterable, Sendable {
    case header = "EXTM3U"
    case version = "EXT-X-VERSION"
    case independentSegments = "EXT-X-INDEPENDENT-SEGMENTS"
    case start = "EXT-X-START"
    case define = "EXT-X-DEFINE"
    case allowCache = "EXT-X-ALLOW-CACHE"

    case targetDuration = "EXT-X-TARGETDURATION"
    case mediaSequence = "EXT-X-MEDIA-SEQUENCE"
    case discontinuitySequence = "EXT-X-DISCONTINUITY-SEQUENCE"
    case endList = "EXT-X-ENDLIST"
    case playlistType = "EXT-X-PLAYLIST-TYPE"
    case iFramesOnly = "EXT-X-I-FRAMES-ONLY"
    case serverControl = "EXT-X-SERVER-CONTROL"
    case partInformation = "EXT-X-PART-INF"
    case preloadHint = "EXT-X-PRELOAD-HINT"
    case renditionReport = "EXT-X-RENDITION-REPORT"
    case skip = "EXT-X-SKIP"
    case dateRange = "EXT-X-DATERANGE"

    case duration = "EXTINF"
    case byteRange = "EXT-X-BYTERANGE"
    case discontinuity = "EXT-X-DISCONTINUITY"
    case key = "EXT-X-KEY"
    case map = "EXT-X-MAP"
    case programDateTime = "EXT-X-PROGRAM-DATE-TIME"
    case gap = "EXT-X-GAP"
    case bitrate = "EXT-X-BITRATE"
    case part = "EXT-X-PART"
    case cueOut = "EXT-X-CUE-OUT"
    case cueOutContinued = "EXT-X-CUE-OUT-CONT"
    case cueIn = "EXT-X-CUE-IN"
    case cue = "EXT-X-CUE"
    case asset = "EXT-X-ASSET"
    case scte35 = "EXT-X-SCTE35"
    case oatclsSCTE35 = "EXT-OATCLS-SCTE35"

    case streamInformation = "EXT-X-STREAM-INF"
    case media = "EXT-X-MEDIA"
    case iFrameStreamInformation = "EXT-X-I-FRAME-STREAM-INF"
    case sessionData = "EXT-X-SESSION-DATA"
    case sessionKey = "EXT-X-SESSION-KEY"
    case contentSteering = "EXT-X-CONTENT-STEERING"
}

extension PlaylistTag {
    /// What a tag applies to, which also decides the kind of playlist that may contain it.
    package enum Scope: Sendable {
        case anyPlaylist
        case mediaPlaylist
        case mediaSegment
        case multivariantPlaylist
    }

    /// What the tag applies to (RFC 8216bis §4.4).
    package var scope: Scope {
        switch self {
        case .header, .version, .independentSegments, .start, .define, .allowCache: .anyPlaylist
        case .targetDuration, .mediaSequence, .discontinuitySequence, .endList, .playlistType, .iFramesOnly,
            .serverControl, .partInformation, .preloadHint, .renditionReport, .skip, .dateRange:
            .mediaPlaylist
        case .duration, .byteRange, .discontinuity, .key, .map, .programDateTime, .gap, .bitrate, .part,
            .cueOut, .cueOutContinued, .cueIn, .cue, .asset, .scte35, .oatclsSCTE35:
            .mediaSegment
        case .streamInformation, .media, .iFrameStreamInformation, .sessionData, .sessionKey,
            .contentSteering:
            .multivariantPlaylist
        }
    }

    /// Whether a playlist may contain the tag at most once (RFC 8216bis §4.4.2, §4.4.3).
    var occursOnce: Bool {
        switch self {
        case .define, .dateRange, .preloadHint, .renditionReport: false
        case .contentSteering: true
        default: scope == .anyPlaylist || scope == .mediaPlaylist
        }
    }
}
