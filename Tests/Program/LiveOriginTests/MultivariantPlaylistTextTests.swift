import Testing

@testable import LiveOrigin

@Suite("Multivariant playlists (RFC 8216)")
struct MultivariantPlaylistTextTests {
    @Test("The same renditions in other words, with two languages")
    func otherWords() {
        var options = options(audio: .separate, variants: 1, hasSubtitles: false)
        options.layout.renditions.append(Rendition(id: "a1", kind: .audio, bitsPerSecond: 96_000))
        for (id, peak) in [("v0", 1000), ("a0", 100)] {
            options.bandwidths[id] = .init(peak: peak, average: peak - 10)
        }
        options.usesAlternateNames = true
        #expect(
            MultivariantPlaylistText(options: options).written() == """
                #EXTM3U
                #EXT-X-VERSION:3
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aud",NAME="Audio a0",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,\
                CHANNELS="1",URI="a0.m3u8"
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aud",NAME="Audio a1",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,\
                CHANNELS="1",URI="a1.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=1100,AVERAGE-BANDWIDTH=1080,CODECS="avc1.42c02a,mp4a.40.2",\
                RESOLUTION=640x360,FRAME-RATE=24.999,AUDIO="aud"
                v0.m3u8

                """)
    }

    @Test("Three variants with separate audio and subtitles")
    func groups() {
        var options = options(audio: .separate, variants: 3, hasSubtitles: true)
        for (id, peak) in [("v0", 1000), ("v1", 500), ("v2", 250), ("a0", 100)] {
            options.bandwidths[id] = .init(peak: peak, average: peak - 10)
        }
        #expect(
            MultivariantPlaylistText(options: options).written() == """
                #EXTM3U
                #EXT-X-VERSION:3
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Tone",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,\
                CHANNELS="1",URI="a0.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Dates",LANGUAGE="en",DEFAULT=NO,\
                AUTOSELECT=YES,URI="s0.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=1100,AVERAGE-BANDWIDTH=1080,CODECS="avc1.42C028,mp4a.40.2",\
                RESOLUTION=640x360,FRAME-RATE=25.000,AUDIO="audio",SUBTITLES="subtitles"
                v0.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=600,AVERAGE-BANDWIDTH=580,CODECS="avc1.42C028,mp4a.40.2",\
                RESOLUTION=424x240,FRAME-RATE=25.000,AUDIO="audio",SUBTITLES="subtitles"
                v1.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=350,AVERAGE-BANDWIDTH=330,CODECS="avc1.42C028,mp4a.40.2",\
                RESOLUTION=256x144,FRAME-RATE=25.000,AUDIO="audio",SUBTITLES="subtitles"
                v2.m3u8

                """)
    }
}
