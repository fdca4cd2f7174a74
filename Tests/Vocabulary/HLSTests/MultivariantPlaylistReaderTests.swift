import HLS
import TestSupport
import Testing

struct MultivariantPlaylistReaderTests {
    @Test("A group may be called NONE; only without quotation marks there are no closed captions")
    func closedCaptions() throws {
        let playlist = try readMultivariant(
            """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=1,CLOSED-CAPTIONS="NONE"
            a.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2,CLOSED-CAPTIONS=NONE
            b.m3u8
            """)
        let expected: [VariantStream.ClosedCaptions?] = [
            .group("NONE"), VariantStream.ClosedCaptions.none,
        ]
        #expect(playlist.variants.map(\.closedCaptions) == expected)
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
