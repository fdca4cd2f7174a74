import HLS
import TestSupport
import Testing

struct SegmentWriterTests {
    static let key = Key(method: .aes128, uri: "k", initializationVector: 1)
    static let keyLine = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x00000000000000000000000000000001\n"
    static let map = MediaMap(uri: "i.mp4", keys: [key])

    private func lines(_ segments: [MediaSegment], restates: Bool = false) -> String {
        var writer = PlaylistWriter()
        var segmentWriter = SegmentWriter(options: WritingOptions(restatesAfterDiscontinuity: restates))
        for segment in segments { segmentWriter.write(segment, &writer) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func segment(_ uri: String, _ change: (inout MediaSegment) -> Void = { _ in }) -> MediaSegment {
        var segment = MediaSegment(uri: uri, durationMicroseconds: 2_000_000, keys: [Self.key], map: Self.map)
        change(&segment)
        return segment
    }

    @Test("The order is DISCONTINUITY, KEY, MAP, PROGRAM-DATE-TIME, GAP, EXTINF, URI")
    func order() {
        let one = segment("a") {
            $0.discontinuityCount = 1
            $0.programDateTimeMicroseconds = 0
            $0.isGap = true
        }
        #expect(
            lines([one]) == "#EXT-X-DISCONTINUITY\n" + Self.keyLine + "#EXT-X-MAP:URI=\"i.mp4\"\n"
                + "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00.000Z\n#EXT-X-GAP\n#EXTINF:2.000000,\na\n")
    }

    @Test("KEY and MAP are written once while they stay in force")
    func stickyTags() {
        #expect(
            lines([segment("a"), segment("b")]) == Self.keyLine
                + "#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:2.000000,\na\n#EXTINF:2.000000,\nb\n")
    }

    @Test("KEY and MAP are repeated after a discontinuity on request")
    func restating() {
        let second = segment("b") { $0.discontinuityCount = 1 }
        let expected =
            "#EXT-X-DISCONTINUITY\n" + Self.keyLine + "#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:2.000000,\nb\n"
        #expect(lines([segment("a"), second], restates: true).hasSuffix(expected))
        #expect(lines([segment("a"), second]).hasSuffix("#EXT-X-DISCONTINUITY\n#EXTINF:2.000000,\nb\n"))
    }

    @Test("METHOD=NONE precedes a clear segment after an encrypted one, and nothing else")
    func goingClear() {
        let clear = segment("b") { $0.keys = [] }
        #expect(lines([segment("a"), clear]).hasSuffix("a\n#EXT-X-KEY:METHOD=NONE\n#EXTINF:2.000000,\nb\n"))
        let always = MediaSegment(uri: "c", durationMicroseconds: 0)
        #expect(lines([always, always], restates: true) == "#EXTINF:0.000000,\nc\n#EXTINF:0.000000,\nc\n")
    }

    @Test("Cue tags of the first segment stand before its EXTINF; other lines there would be the playlist's")
    func cueTagsOfFirst() throws {
        let text = """
            #EXTM3U
            #EXT-X-VERSION:3
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:0
            #EXT-X-CUE-OUT:30
            # of the break
            #EXTINF:4.000000,
            a.ts
            #EXTINF:4.000000,
            b.ts

            """
        let playlist = try Playlist.reading(text).playlist.media
        #expect(playlist.segments.map(\.cueTags) == [["#EXT-X-CUE-OUT:30"], []])
        #expect(playlist.segments[0].unknownLines == ["#EXT-X-CUE-OUT:30", "# of the break"])
        #expect(playlist.written() == text)
        var other = playlist
        other.segments[0].unknownLines = ["# of the segment", "#EXT-X-CUE-IN"]
        #expect(try Playlist.reading(other.written()).playlist.media == other)
    }
}
