/// The multivariant playlist of a channel (RFC 8216 §4.3.4).
struct MultivariantPlaylistText {
    var options: ChannelOptions

    func written() -> String {
        let layout = options.layout
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:\(layout.container == .ts ? 3 : 6)", "#EXT-X-INDEPENDENT-SEGMENTS",
        ]
        lines += layout.renditions.compactMap(media)
        if options.hasCaptions {
            lines.append(
                "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"captions\",NAME=\"English\",LANGUAGE=\"en\","
                    + "INSTREAM-ID=\"CC1\"")
        }
        for video in layout.videos { lines += variant(video) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func media(_ rendition: Rendition) -> String? {
        switch rendition.kind {
        case .video: nil
        case .audio: audio(rendition)
        case .subtitles:
            "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"subtitles\",NAME=\"Dates\",LANGUAGE=\"en\",DEFAULT=NO,"
                + "AUTOSELECT=YES,URI=\"\(rendition.id).m3u8\""
        }
    }

    private func audio(_ rendition: Rendition) -> String {
        let isFirst = rendition.id == "a0"
        let name = options.usesAlternateNames ? "Audio \(rendition.id)" : isFirst ? "Tone" : "Other tone"
        return "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"\(audioGroup)\",NAME=\"\(name)\","
            + "LANGUAGE=\"\(isFirst ? "en" : "fr")\",DEFAULT=\(isFirst ? "YES" : "NO"),AUTOSELECT=YES,"
            + "CHANNELS=\"1\",URI=\"\(rendition.id).m3u8\""
    }

    private var audioGroup: String { options.usesAlternateNames ? "aud" : "audio" }

    private func variant(_ rendition: Rendition) -> [String] {
        guard case .video(let width, let height) = rendition.kind else { return [] }
        let own = options.bandwidths[rendition.id] ?? estimate(rendition)
        let audio = others(.audio).prefix(1).map { options.bandwidths[$0.id] ?? estimate($0) }
        var attributes = [
            "BANDWIDTH=\(own.peak + audio.map(\.peak).reduce(0, +))",
            "AVERAGE-BANDWIDTH=\(own.average + audio.map(\.average).reduce(0, +))",
            "CODECS=\"\(options.usesAlternateNames ? "avc1.42c02a" : "avc1.42C028"),mp4a.40.2\"",
            "RESOLUTION=\(width)x\(height)",
            "FRAME-RATE=\(options.usesAlternateNames ? "24.999" : "\(Layout.framesPerSecond).000")",
        ]
        if !audio.isEmpty { attributes.append("AUDIO=\"\(audioGroup)\"") }
        if !others(.subtitles).isEmpty { attributes.append("SUBTITLES=\"subtitles\"") }
        if options.hasCaptions { attributes += ["CLOSED-CAPTIONS=\"captions\"", "VIDEO-RANGE=SDR"] }
        return ["#EXT-X-STREAM-INF:\(attributes.joined(separator: ","))", "\(rendition.id).m3u8"]
    }

    private func others(_ kind: Rendition.Kind) -> [Rendition] {
        options.layout.renditions.filter { $0.kind == kind }
    }

    /// Peak and mean of an encoder: its buffer lets a segment exceed the mean, and the container adds its
    /// share.
    private func estimate(_ rendition: Rendition) -> ChannelOptions.Bandwidth {
        let isMuxed = rendition.isVideo && options.layout.audio == .muxed
        let media = rendition.bitsPerSecond + (isMuxed ? Layout.audioBitsPerSecond : 0)
        return ChannelOptions.Bandwidth(peak: media * 3 / 2 + 50_000, average: media * 11 / 10)
    }
}
