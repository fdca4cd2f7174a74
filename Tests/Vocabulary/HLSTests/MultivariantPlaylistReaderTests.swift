import HLS
import TestSupport
import Testing

struct MultivariantPlaylistReaderTests {
    @Test("Variants, renditions and groups of an ordinary presentation")
    func presentation() throws {
        let playlist = try readMultivariant(
            """
            #EXTM3U
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",DEFAULT=YES,AUTOSELECT=YES,URI="en.m3u8"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC1",INSTREAM-ID="CC1"
            #EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=640x360,AUDIO="a",\
            CLOSED-CAPTIONS="cc"

            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5",CLOSED-CAPTIONS="NONE"
            audio-only.m3u8
            """)
        #expect(playlist.isIndependentSegments)
        #expect(playlist.renditions.map(\.type) == [.audio, .closedCaptions])
        #expect(playlist.renditions.map(\.uri) == ["en.m3u8", nil])
        #expect(playlist.variants.map(\.uri) == ["low.m3u8", "audio-only.m3u8"])
        #expect(playlist.variants[0].resolution == .init(width: 640, height: 360))
        #expect(playlist.variants[0].codecs == "avc1.4d401f,mp4a.40.2")
        #expect(playlist.variants.map(\.closedCaptions) == [.group("cc"), .group("NONE")])
        #expect(playlist.variants[0].audioGroup == "a")
    }

    @Test("A tag with an unknown REQ- attribute is left out, and so is the URI after a STREAM-INF")
    func unknownRequirement() throws {
        let playlist = try readMultivariant(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",REQ-SMELL="rose"
            #EXT-X-STREAM-INF:BANDWIDTH=1,REQ-SMELL="rose"
            smelling.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2
            plain.m3u8
            """)
        #expect(playlist.variants.map(\.uri) == ["plain.m3u8"])
        #expect(playlist.renditions == [])
        #expect(playlist.unknownLines.count == 1)
    }

    @Test("A malformed attribute is kept verbatim and written again")
    func unreadableAttribute() throws {
        let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=5,RESOLUTION=wide,FRAME-RATE=fast\nv.m3u8\n"
        let playlist = try readMultivariant(text)
        #expect(playlist.variants[0].resolution == nil)
        #expect(playlist.variants[0].otherAttributes["RESOLUTION"] == "wide")
        #expect(playlist.written().contains("RESOLUTION=wide,FRAME-RATE=fast"))
        #expect(try readMultivariant(playlist.written()) == playlist)
    }
}
