import HLS
import TestSupport
import Testing

struct MediaPlaylistReaderTests {
    @Test("A live playlist with dates, sequence numbers and a discontinuity sequence")
    func liveList() throws {
        let playlist = try readMedia(
            """
            #EXTM3U
            #EXT-X-VERSION:3
            #EXT-X-TARGETDURATION:10
            #EXT-X-MEDIA-SEQUENCE:2680
            #EXT-X-DISCONTINUITY-SEQUENCE:4
            #EXT-X-PROGRAM-DATE-TIME:1970-01-02T00:00:00.500Z
            #EXTINF:9.009,
            first.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:3,last
            second.ts
            """)
        #expect(playlist.number(at: 0) == 2_680)
        #expect(playlist.number(at: 1) == 2_681)
        #expect(playlist.discontinuitySequence == 4)
        #expect(playlist.segments.map(\.durationMicroseconds) == [9_009_000, 3_000_000])
        #expect(playlist.segments.map(\.programDateTimeMicroseconds) == [86_400_500_000, nil])
        #expect(playlist.segments.map(\.discontinuityCount) == [0, 1])
        #expect(playlist.segments.map(\.title) == [nil, "last"])
        #expect(!playlist.isEnded)
    }

    @Test("A delta update numbers its segments after those it skips")
    func skippedSegments() throws {
        let playlist = try readMedia(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:100\n#EXT-X-SKIP:SKIPPED-SEGMENTS=7\n"
                + "#EXTINF:4,\na.ts\n")
        #expect(playlist.number(at: 0) == 107)
    }

    @Test("A byte range without offset continues the preceding one; all become absolute")
    func byteRanges() throws {
        let playlist = try readMedia(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXTINF:4,
            #EXT-X-BYTERANGE:100@50
            a.ts
            #EXT-X-BYTERANGE:25
            #EXTINF:4,
            a.ts
            #EXTINF:4,
            #EXT-X-BYTERANGE:10@0
            b.ts
            #EXTINF:4,
            c.ts
            """)
        let expected: [ByteRange?] = [
            ByteRange(length: 100, offset: 50), ByteRange(length: 25, offset: 150),
            ByteRange(length: 10, offset: 0), nil,
        ]
        #expect(playlist.segments.map(\.byteRange) == expected)
    }

    @Test("An empty playlist is valid")
    func emptyList() throws {
        let playlist = try readMedia("#EXTM3U\n#EXT-X-TARGETDURATION:6\n")
        #expect(playlist.segments.isEmpty)
        #expect(playlist.targetDurationSeconds == 6)
        #expect(playlist.durationMicroseconds == 0)
    }

    @Test("DATERANGE tags with one ID are one range, and the first value of an attribute counts")
    func mergedDateRanges() throws {
        let read = try Playlist.reading(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-DATERANGE:ID="a",START-DATE="1970-01-01T00:00:01Z",PLANNED-DURATION=30
            #EXT-X-DATERANGE:ID="b",START-DATE="1970-01-01T00:00:02Z"
            #EXT-X-DATERANGE:ID="a",START-DATE="1970-01-01T00:00:01Z",DURATION=29.5,PLANNED-DURATION=31
            """)
        let playlist = try read.playlist.media
        #expect(playlist.dateRanges.map(\.id) == ["a", "b"])
        #expect(playlist.dateRanges[0].startMicroseconds == 1_000_000)
        #expect(playlist.dateRanges[0].durationMicroseconds == 29_500_000)
        #expect(playlist.dateRanges[0].plannedDurationMicroseconds == 30_000_000)
        #expect(read.notes.map(\.deviation) == [.conflictingAttribute])
    }

    @Test("Parts are counted with their segment and those without one stay at the end")
    func parts() throws {
        let playlist = try readMedia(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-PART:DURATION=2,URI="a.0"
            #EXT-X-PART:DURATION=2,URI="a.1"
            #EXTINF:4,
            a.mp4
            #EXT-X-PART:DURATION=2,URI="b.0"
            """)
        #expect(playlist.segments.map(\.partLines.count) == [2])
        #expect(playlist.trailingLines == ["#EXT-X-PART:DURATION=2,URI=\"b.0\""])
    }
}
