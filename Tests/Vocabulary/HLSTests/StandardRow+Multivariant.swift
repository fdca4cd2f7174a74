import HLS
import Testing

extension StandardRow {
    /// The tags of multivariant playlists (RFC 8216bis §4.4.6).
    static let multivariantPlaylist: [StandardRow] = [
        // A rendition without URI is part of the variant's own media.
        .multivariant("rfc8216bis-4.4.6.1-media", .media) {
            #expect($0.renditions.map(\.type) == [.audio, .video, .subtitles, .closedCaptions])
            #expect($0.renditions.map(\.uri) == ["de.m3u8", "side.m3u8", "fr.m3u8", nil])
            #expect($0.renditions.map(\.isDefault) == [true, false, false, false])
            #expect($0.renditions.map(\.name) == ["Deutsch", "Side, left", "Français", "CC1"])
            #expect($0.renditions.count { $0.otherAttributes.isEmpty } == 4)
            #expect($0.renditions[0] == audio)
            #expect($0.renditions[2].isForced)
            #expect($0.renditions[3].instreamID == "SERVICE1")
            #expect($0.variants[0].closedCaptions == .group("cc"))
            let variant = $0.variants[0]
            #expect([variant.audioGroup, variant.videoGroup] == ["aac", "cameras"])
            #expect(variant.subtitlesGroup == "subs")
        },
        // The URI follows, also after a blank line.
        .multivariant("rfc8216bis-4.4.6.2-stream-inf", .streamInformation) {
            #expect($0.variants.map(\.uri) == ["high/index.m3u8", "audio-only.m3u8"])
            #expect($0.variants[0] == high)
            #expect($0.variants[1].resolution == nil)
            let none = VariantStream.ClosedCaptions.none
            #expect($0.variants.map(\.closedCaptions) == [none, none])
        },
        .multivariant("rfc8216bis-4.4.6.3-i-frame-stream-inf", .iFrameStreamInformation) {
            #expect($0.variants.count == 1)
            #expect($0.iFrameStreams.map(\.uri) == ["low-iframes.m3u8"])
            #expect($0.iFrameStreams[0].bandwidth == 90_000)
        },
        .multivariant("rfc8216bis-4.4.6.4-session-data", .sessionData) {
            #expect($0.sessionData.map(\.dataID) == ["com.example.title", "com.example.lyrics"])
            #expect($0.sessionData.map(\.value) == ["A film, with a comma", nil])
            #expect($0.sessionData.map(\.uri) == [nil, "lyrics.json"])
            #expect($0.sessionData.map(\.format) == [nil, "JSON"])
        },
        .multivariant("rfc8216bis-4.4.6.5-session-key", .sessionKey) {
            #expect(
                $0.sessionKeys == [
                    Key(
                        method: .sampleAES, uri: "skd://1", keyFormat: "com.apple.streamingkeydelivery",
                        keyFormatVersions: "1")
                ])
        },
        .multivariant("rfc8216bis-4.4.6.6-content-steering", .contentSteering) {
            #expect(
                $0.contentSteering == ContentSteering(serverURI: "/steer?session=1", pathwayID: "CDN-A"))
            #expect($0.variants[0].pathwayID == "CDN-A")
        },
    ]

    private static var audio: Rendition {
        var audio = Rendition(type: .audio, groupID: "aac", name: "Deutsch", uri: "de.m3u8")
        (audio.language, audio.associatedLanguage) = ("de", "de-CH")
        audio.stableRenditionID = "a1"
        (audio.isDefault, audio.isAutoselect) = (true, true)
        (audio.bitDepth, audio.sampleRate, audio.channels) = (16, 48_000, "6")
        audio.characteristics = "public.accessibility.describes-video"
        return audio
    }

    private static var high: VariantStream {
        var high = VariantStream(uri: "high/index.m3u8", bandwidth: 5_000_000)
        (high.averageBandwidth, high.score) = (4_200_000, 2.5)
        (high.codecs, high.supplementalCodecs) = ("hvc1.2.4.L153.b0,ec-3", "dvh1.08.07/db4h")
        (high.resolution, high.frameRate) = (.init(width: 1_920, height: 1_080), 29.97)
        (high.hdcpLevel, high.videoRange) = ("TYPE-0", "PQ")
        high.allowedCPC = "com.example.drm:SMART-TV/PC"
        high.requiredVideoLayout = "CH-STEREO"
        (high.stableVariantID, high.pathwayID) = ("v1", "CDN-A")
        high.closedCaptions = VariantStream.ClosedCaptions.none
        return high
    }
}
