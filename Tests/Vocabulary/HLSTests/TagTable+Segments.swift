@testable import HLS

extension TagTable {
    static let contentKey = Key(
        method: .aes128, uri: "https://keys.example/1?a=b", initializationVector: 0xABCDEF)
    static let drmKey = Key(
        method: .sampleAESCTR, uri: "data:text/plain;base64,AAAA", keyFormat: "urn:uuid:edef8ba9",
        keyFormatVersions: "1", otherAttributes: TagRow.attributes([("KEYID", "0x01", false)]))

    static let segmentRows: [TagRow] = [
        .segment(.duration, "#EXTINF:2.002003,A title") {
            $0.durationMicroseconds = 2_002_003
            $0.title = "A title"
        },
        .segment(.byteRange, "#EXT-X-BYTERANGE:1880@376") {
            $0.byteRange = ByteRange(length: 1_880, offset: 376)
        },
        .segment(.discontinuity, "#EXT-X-DISCONTINUITY\n#EXT-X-DISCONTINUITY") { $0.discontinuityCount = 2 },
        .segment(
            .key,
            """
            #EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/1?a=b",IV=0x00000000000000000000000000ABCDEF
            #EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI="data:text/plain;base64,AAAA",KEYFORMAT="urn:uuid:edef8ba9",\
            KEYFORMATVERSIONS="1",KEYID=0x01
            """
        ) { $0.keys = [contentKey, drmKey] },
        .segment(.map, "#EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"720@0\"") {
            $0.map = MediaMap(uri: "init.mp4", byteRange: ByteRange(length: 720, offset: 0))
        },
        .segment(.programDateTime, "#EXT-X-PROGRAM-DATE-TIME:2024-02-29T23:59:59.250Z") {
            // 2024-02-29 is day 19,782 after 1970-01-01.
            $0.programDateTimeMicroseconds = 19_783 * 86_400_000_000 - 750_000
        },
        .segment(.gap, "#EXT-X-GAP") { $0.isGap = true },
        .segment(.bitrate, "#EXT-X-BITRATE:1500") { $0.kilobitsPerSecond = 1_500 },
    ]

    static let vendorRows: [TagRow] = [
        .vendor(.cueOut, "#EXT-X-CUE-OUT:30.000"),
        .vendor(.cueOutContinued, "#EXT-X-CUE-OUT-CONT:ElapsedTime=6.006,Duration=30"),
        .vendor(.cueIn, "#EXT-X-CUE-IN"),
        .vendor(.cue, "#EXT-X-CUE:TYPE=\"SpliceOut\",ID=\"7\""),
        .vendor(.asset, "#EXT-X-ASSET:CAID=0x0000000020FB6501"),
        .vendor(.scte35, "#EXT-X-SCTE35:CUE=\"/DAlAAAAAAAAAP/w\",CUE-OUT=YES"),
        .vendor(.oatclsSCTE35, "#EXT-OATCLS-SCTE35:/DAlAAAAAAAAAP/w=="),
    ]

    static let multivariantRows: [TagRow] = [
        .multivariant(.streamInformation, streamLine + "\nhigh/index.m3u8") { $0.variants.append(variant) },
        .multivariant(.media, renditionLine) { $0.renditions = [rendition] },
        .multivariant(
            .iFrameStreamInformation,
            "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,CODECS=\"avc1.4d401f\",URI=\"iframes.m3u8\""
        ) {
            $0.iFrameStreams = [VariantStream(uri: "iframes.m3u8", bandwidth: 90_000)]
            $0.iFrameStreams[0].codecs = "avc1.4d401f"
        },
        .multivariant(.sessionData, sessionDataLine) { $0.sessionData = [sessionData] },
        .multivariant(
            .sessionKey, "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",KEYFORMAT=\"com.apple\""
        ) { $0.sessionKeys = [Key(method: .sampleAES, uri: "skd://1", keyFormat: "com.apple")] },
        .multivariant(
            .contentSteering, "#EXT-X-CONTENT-STEERING:SERVER-URI=\"/steer\",PATHWAY-ID=\"CDN-A\""
        ) { $0.contentSteering = ContentSteering(serverURI: "/steer", pathwayID: "CDN-A") },
    ]

    static let streamLine = """
        #EXT-X-STREAM-INF:BANDWIDTH=5000000,AVERAGE-BANDWIDTH=4200000,SCORE=2.5,CODECS="avc1.640028,mp4a.40.2",\
        SUPPLEMENTAL-CODECS="dvh1.08.07/db4h",RESOLUTION=1920x1080,FRAME-RATE=29.97,HDCP-LEVEL=TYPE-0,\
        ALLOWED-CPC="com.example.drm:SMART-TV/PC",VIDEO-RANGE=SDR,REQ-VIDEO-LAYOUT="CH-STEREO",\
        STABLE-VARIANT-ID="v1",AUDIO="aac",VIDEO="cams",SUBTITLES="subs",CLOSED-CAPTIONS=NONE,\
        PATHWAY-ID="CDN-A",NAME="high",PROGRAM-ID=1,X-VENDOR=7
        """

    static var variant: VariantStream {
        var stream = VariantStream(uri: "high/index.m3u8", bandwidth: 5_000_000)
        stream.averageBandwidth = 4_200_000
        stream.score = 2.5
        stream.codecs = "avc1.640028,mp4a.40.2"
        stream.supplementalCodecs = "dvh1.08.07/db4h"
        stream.resolution = .init(width: 1_920, height: 1_080)
        stream.frameRate = 29.97
        stream.hdcpLevel = "TYPE-0"
        stream.allowedCPC = "com.example.drm:SMART-TV/PC"
        stream.videoRange = "SDR"
        stream.requiredVideoLayout = "CH-STEREO"
        stream.stableVariantID = "v1"
        stream.audioGroup = "aac"
        stream.videoGroup = "cams"
        stream.subtitlesGroup = "subs"
        stream.closedCaptions = VariantStream.ClosedCaptions.none
        stream.pathwayID = "CDN-A"
        stream.name = "high"
        stream.programID = 1
        stream.otherAttributes = TagRow.attributes([("X-VENDOR", "7", false)])
        return stream
    }

    static let renditionLine = """
        #EXT-X-MEDIA:TYPE=AUDIO,URI="audio/de.m3u8",GROUP-ID="aac",LANGUAGE="de",ASSOC-LANGUAGE="de-CH",\
        NAME="Deutsch",STABLE-RENDITION-ID="a1",DEFAULT=YES,AUTOSELECT=YES,FORCED=YES,INSTREAM-ID="SERVICE1",\
        BIT-DEPTH=16,SAMPLE-RATE=48000,CHARACTERISTICS="public.accessibility.describes-video",CHANNELS="6",\
        X-NOTE="n"
        """

    static var rendition: Rendition {
        var rendition = Rendition(type: .audio, groupID: "aac", name: "Deutsch", uri: "audio/de.m3u8")
        rendition.language = "de"
        rendition.associatedLanguage = "de-CH"
        rendition.stableRenditionID = "a1"
        rendition.isDefault = true
        rendition.isAutoselect = true
        rendition.isForced = true
        rendition.instreamID = "SERVICE1"
        rendition.bitDepth = 16
        rendition.sampleRate = 48_000
        rendition.characteristics = "public.accessibility.describes-video"
        rendition.channels = "6"
        rendition.otherAttributes = TagRow.attributes([("X-NOTE", "n", true)])
        return rendition
    }

    static let sessionDataLine = """
        #EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="A film",URI="title.json",FORMAT=JSON,LANGUAGE="en"
        """

    static var sessionData: SessionData {
        var data = SessionData(dataID: "com.example.title")
        data.value = "A film"
        data.uri = "title.json"
        data.format = "JSON"
        data.language = "en"
        return data
    }
}
