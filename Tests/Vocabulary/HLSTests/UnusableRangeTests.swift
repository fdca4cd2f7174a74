import HLS
import TestSupport
import Testing

@Suite("A byte range that no resource can have")
struct UnusableRangeTests {
    /// A segment that is all of a resource, one with a range, and another one that is all of a resource.
    private static func text(_ range: String) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:4,\na\n"
            + "#EXTINF:4,\n#EXT-X-BYTERANGE:\(range)\nb\n#EXTINF:4,\nc\n"
    }

    @Test(
        "makes its own segment a gap, and no other",
        arguments: [
            "9223372036854775808@0", "1@9223372036854775807", "1@18446744073709551615",
            "18446744073709551615@18446744073709551615", "1@99999999999999999999999",
            "99999999999999999999999@0", "-1@0", "x",
        ])
    func alone(range: String) throws {
        let read = try Playlist.reading(Self.text(range))
        let playlist = try read.playlist.media
        #expect(read.notes == [DeviationNote(deviation: .unusableRange, tag: .byteRange, line: 7)])
        #expect(playlist.segments.map(\.uri) == ["a", "b", "c"])
        #expect(playlist.segments.map(\.isGap) == [false, true, false])
        #expect(playlist.segments.allSatisfy { $0.byteRange == nil })
        #expect(playlist.number(at: 2) == 9)
    }

    @Test("is none up to 63 bits", arguments: ["9223372036854775807@0", "1@9223372036854775806"])
    func largest(range: String) throws {
        let read = try Playlist.reading(Self.text(range))
        let playlist = try read.playlist.media
        #expect(read.notes.isEmpty)
        #expect(playlist.segments[1].byteRange != nil && !playlist.segments[1].isGap)
    }

    @Test("is not continued by those that say no offset; the next one that says an offset is used")
    func continued() throws {
        let lines = ["5@0", "9223372036854775807", "5", "5@10", "5"].map {
            "#EXTINF:4,\n#EXT-X-BYTERANGE:\($0)\na\n"
        }
        let read = try Playlist.reading("#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + lines.joined())
        let playlist = try read.playlist.media
        #expect(playlist.segments.map(\.isGap) == [false, true, true, false, false])
        #expect(playlist.segments.map { $0.byteRange?.offset } == [0, nil, nil, 10, 15])
        #expect(read.notes == [DeviationNote(deviation: .unusableRange, tag: nil, line: 8, count: 2)])
    }

    @Test("is not continued by the range of another resource: such a playlist is refused")
    func continuedElsewhere() {
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n#EXT-X-BYTERANGE:x\na\n"
            + "#EXTINF:4,\n#EXT-X-BYTERANGE:5\nb\n"
        #expect(throws: PlaylistError(line: 8, tag: nil, reason: .unanchoredByteRange)) {
            try Playlist.reading(text)
        }
    }
}
