import HLS
import TestSupport
import Testing

/// A tag of the whole playlist that stands twice, and whether the second value is what was read.
struct Repeat: Sendable, CustomTestStringConvertible {
    var lines: [String]
    var hasLast: @Sendable (MediaPlaylist) -> Bool

    var testDescription: String { lines.joined(separator: " ") }
}

struct RepeatedTagTests {
    static let repeats: [Repeat] = [
        Repeat(lines: ["#EXT-X-VERSION:3", "#EXT-X-VERSION:7"]) { $0.version == 7 },
        Repeat(lines: ["#EXT-X-TARGETDURATION:4", "#EXT-X-TARGETDURATION:6"]) {
            $0.targetDurationSeconds == 6
        },
        Repeat(lines: ["#EXT-X-MEDIA-SEQUENCE:10", "#EXT-X-MEDIA-SEQUENCE:20"]) { $0.number(at: 0) == 20 },
        Repeat(lines: ["#EXT-X-DISCONTINUITY-SEQUENCE:1", "#EXT-X-DISCONTINUITY-SEQUENCE:2"]) {
            $0.discontinuitySequence == 2
        },
        Repeat(lines: ["#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-PLAYLIST-TYPE:EVENT"]) { $0.type == .event },
        Repeat(lines: ["#EXT-X-ALLOW-CACHE:YES", "#EXT-X-ALLOW-CACHE:NO"]) { $0.allowsCache == false },
        Repeat(lines: ["#EXT-X-START:TIME-OFFSET=1", "#EXT-X-START:TIME-OFFSET=2"]) {
            $0.start?.offsetMicroseconds == 2_000_000
        },
        Repeat(lines: ["#EXT-X-SKIP:SKIPPED-SEGMENTS=1", "#EXT-X-SKIP:SKIPPED-SEGMENTS=2"]) {
            $0.skip?.segmentCount == 2
        },
        Repeat(lines: ["#EXT-X-PART-INF:PART-TARGET=1", "#EXT-X-PART-INF:PART-TARGET=2"]) {
            $0.partInformation?["PART-TARGET"] == "2"
        },
    ]

    @Test(
        "Of a repeated tag of the whole playlist the last one counts, and a note says so", arguments: repeats)
    func lastCounts(sample: Repeat) throws {
        let text = "#EXTM3U\n" + sample.lines.joined(separator: "\n") + "\n#EXTINF:4,\na.ts\n"
        let read = try Playlist.reading(text)
        let playlist = try read.playlist.media
        #expect(sample.hasLast(playlist))
        let notes = read.notes.filter { $0.deviation == .conflictingTag }
        #expect(notes.map(\.line) == [3])
    }

    @Test("Equal repeats are noted as such, also after the segments")
    func equalRepeats() throws {
        let read = try Playlist.reading(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-TARGETDURATION:4\n")
        #expect(read.notes == [DeviationNote(deviation: .repeatedTag, tag: .targetDuration, line: 5)])
    }

    @Test("A repeat that cannot be read leaves the value before it")
    func unreadableRepeat() throws {
        let lines = ["VERSION", "PLAYLIST-TYPE", "DISCONTINUITY-SEQUENCE", "START", "TARGETDURATION"]
        let head =
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-DISCONTINUITY-SEQUENCE:5\n"
            + "#EXT-X-START:TIME-OFFSET=1\n#EXT-X-TARGETDURATION:4\n"
        let playlist = try readMedia(head + lines.map { "#EXT-X-\($0):?\n" }.joined())
        #expect(playlist.version == 7)
        #expect(playlist.type == .videoOnDemand)
        #expect(playlist.discontinuitySequence == 5)
        #expect(playlist.start?.offsetMicroseconds == 1_000_000)
        #expect(playlist.targetDurationSeconds == 4)
    }

    @Test("Of a repeated content steering the last one counts")
    func steering() throws {
        let playlist = try readMultivariant(
            "#EXTM3U\n#EXT-X-CONTENT-STEERING:SERVER-URI=\"a\"\n#EXT-X-CONTENT-STEERING:SERVER-URI=\"b\"\n"
                + "#EXT-X-CONTENT-STEERING:X=1\n")
        #expect(playlist.contentSteering?.serverURI == "b")
    }
}
