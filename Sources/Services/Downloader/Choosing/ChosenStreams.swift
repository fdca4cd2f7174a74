import HLS
import HTTP
import Timeline

/// The playlists of a multivariant playlist that are taken, and how they are listed.
struct ChosenStreams: Sendable {
    /// One media playlist to download.
    struct Stream: Sendable {
        var rendition: TaskRendition
        var url: HTTPURL
    }

    var streams: [Stream]
    /// With local URIs: what the folder's multivariant playlist says.
    var playlist: MultivariantPlaylist

    /// Chooses one variant with its alternatives.
    static func choosing(
        from source: MultivariantPlaylist, base: HTTPURL, for request: DownloadRequest,
    ) throws(DownloadError) -> ChosenStreams {
        guard let index = request.quality.index(in: source.variants) else {
            throw .unusable("the multivariant playlist lists no variant")
        }
        let variant = source.variants[index]
        let group = { (type: Rendition.MediaType, id: String?) in
            source.renditions.filter { $0.type == type && $0.groupID == id }
        }
        let audio = try request.audio.chosen(from: group(.audio, variant.audioGroup), what: "audio")
        let subtitles = try request.subtitles.chosen(
            from: group(.subtitles, variant.subtitlesGroup), what: "subtitles")
        var captions: [Rendition] = []
        if case .group(let id) = variant.closedCaptions { captions = group(.closedCaptions, id) }

        var chosen = ChosenStreams(streams: [], playlist: MultivariantPlaylist())
        chosen.playlist.isIndependentSegments = source.isIndependentSegments
        chosen.playlist.start = source.start
        try chosen.add(variant, base)
        let inside = group(.audio, variant.audioGroup).filter { $0.uri == nil || $0.uri == variant.uri }
        // With several, nothing says which track has which language.
        if inside.count == 1 { chosen.streams[0].rendition.language = inside[0].language }
        try chosen.add(audio, .audio, base)
        try chosen.add(subtitles, .subtitles, base)
        chosen.playlist.renditions += captions
        if audio.isEmpty { chosen.playlist.variants[0].audioGroup = nil }
        if subtitles.isEmpty { chosen.playlist.variants[0].subtitlesGroup = nil }
        chosen.playlist.version = chosen.playlist.minimalVersion
        return chosen
    }

    private mutating func add(_ variant: VariantStream, _ base: HTTPURL) throws(DownloadError) {
        let id = RenditionID(kind: .video, index: 0)
        let rendition = TaskRendition(
            id: id, content: variant.isAudioOnly ? .audio : nil,
            bitsPerSecond: variant.bandwidth == 0 ? nil : variant.bandwidth,
            width: variant.resolution?.width, height: variant.resolution?.height, codecs: variant.codecs)
        streams.append(Stream(rendition: rendition, url: try Self.url(variant.uri, base)))
        var local = variant
        local.uri = "\(id).m3u8"
        local.videoGroup = nil
        local.pathwayID = nil
        local.otherAttributes = AttributeList()
        playlist.variants.append(local)
    }

    /// Adds alternative renditions; one with the playlist of the variant is listed without a URI.
    private mutating func add(
        _ alternatives: [Rendition], _ kind: RenditionKind, _ base: HTTPURL
    ) throws(DownloadError) {
        var index = 0
        for alternative in alternatives {
            var local = alternative
            local.otherAttributes = AttributeList()
            if let uri = alternative.uri {
                let url = try Self.url(uri, base)
                let id = RenditionID(kind: kind, index: index)
                index += 1
                if url == streams[0].url {
                    local.uri = nil
                } else {
                    local.uri = "\(id).m3u8"
                    let rendition = TaskRendition(
                        id: id, language: alternative.language, name: alternative.name)
                    streams.append(Stream(rendition: rendition, url: url))
                }
            }
            playlist.renditions.append(local)
        }
    }

    private static func url(_ uri: String, _ base: HTTPURL) throws(DownloadError) -> HTTPURL {
        do {
            return try base.resolving(uri)
        } catch {
            throw .unusable("the URI of a playlist cannot be used: \(error)")
        }
    }
}
