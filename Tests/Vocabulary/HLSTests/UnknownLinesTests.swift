import HLS
import TestSupport
import Testing

struct UnknownLinesTests {
    static let mixedText = """
        #EXTM3U
        #EXT-X-TARGETDURATION:4
        ## Created by a packager
        #EXT-X-VENDOR-HEAD:a=1,b
        #EXTINF:4.0,
        #EXT-X-VENDOR-FIRST
        a.ts
        #EXT-X-VENDOR-SECOND:2
        # a comment
        #EXTINF:4.0,
        b.ts
        #EXT-X-VENDOR-TAIL
        """

    @Test("Unknown lines stay with the playlist, the segment or the end")
    func placesAreKept() throws {
        let playlist = try readMedia(Self.mixedText)
        #expect(playlist.unknownLines == ["## Created by a packager", "#EXT-X-VENDOR-HEAD:a=1,b"])
        #expect(playlist.segments[0].unknownLines == ["#EXT-X-VENDOR-FIRST"])
        #expect(playlist.segments[1].unknownLines == ["#EXT-X-VENDOR-SECOND:2", "# a comment"])
        #expect(playlist.trailingLines == ["#EXT-X-VENDOR-TAIL"])
    }

    @Test("Unknown lines survive writing")
    func survive() throws {
        let playlist = try readMedia(Self.mixedText)
        #expect(try readMedia(playlist.written()) == playlist)
    }

    @Test("In a playlist without segments every unknown line belongs to the playlist")
    func emptyList() throws {
        let playlist = try readMedia(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-A\n#EXT-X-PART:URI=\"p\"\n#EXT-X-B\n")
        #expect(playlist.unknownLines == ["#EXT-X-A", "#EXT-X-PART:URI=\"p\"", "#EXT-X-B"])
        #expect(try readMedia(playlist.written()) == playlist)
    }

    @Test("A multivariant playlist keeps its unknown lines too")
    func multivariantList() throws {
        let text = "#EXTM3U\n#EXT-X-OTHER:1\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n#tail\n"
        let playlist = try readMultivariant(text)
        #expect(playlist.unknownLines == ["#EXT-X-OTHER:1", "#tail"])
        #expect(try readMultivariant(playlist.written()) == playlist)
    }
}
