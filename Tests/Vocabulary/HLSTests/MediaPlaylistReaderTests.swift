import HLS
import TestSupport
import Testing

struct MediaPlaylistReaderTests {
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
}
