import HLS
import TestSupport
import Testing

struct SegmentDurationTests {
    @Test("A URI without EXTINF is no segment, and the number of the next one does not move")
    func strayURI() throws {
        let read = try Playlist.reading(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:7
            #EXTINF:4,
            a.ts
            #EXT-X-DISCONTINUITY
            #EXT-X-BYTERANGE:5@0
            #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:01Z
            #EXT-X-GAP
            stray.ts
            #EXTINF:4,
            b.ts
            """)
        let playlist = try read.playlist.media
        #expect(read.notes == [DeviationNote(deviation: .missingDuration, tag: nil, line: 10)])
        #expect(playlist.segments.map(\.uri) == ["a.ts", "b.ts"])
        #expect(playlist.number(at: 1) == 8)
        let last = playlist.segments[1]
        #expect(last.discontinuityCount == 1)
        #expect(last.byteRange == nil && last.programDateTimeMicroseconds == nil && !last.isGap)
    }

    @Test("A playlist whose URIs all lack EXTINF is an empty playlist")
    func onlyStrayURIs() throws {
        let playlist = try readMedia("#EXTM3U\n#EXT-X-TARGETDURATION:4\na.ts\nb.ts\n")
        #expect(playlist.segments == [])
        #expect(playlist.targetDurationSeconds == 4)
    }

    static let segments = "#EXTINF:40,\na\n#EXTINF:41,\nb\n#EXTINF:4,\nc\n"

    @Test(
        "An implausible EXTINF is judged alike, wherever the target duration stands",
        arguments: [
            "#EXT-X-TARGETDURATION:4\n" + segments, segments + "#EXT-X-TARGETDURATION:4\n",
            "#EXT-X-TARGETDURATION:100\n" + segments + "#EXT-X-TARGETDURATION:4\n",
            "#EXT-X-TARGETDURATION:1\n" + segments + "#EXT-X-TARGETDURATION:4\n",
        ])
    func implausibleDuration(text: String) throws {
        let read = try Playlist.reading("#EXTM3U\n" + text)
        let playlist = try read.playlist.media
        #expect(playlist.segments.map(\.durationMicroseconds) == [40_000_000, 0, 4_000_000])
        let line = text.hasPrefix("#EXTINF") ? 4 : 5
        let notes = read.notes.filter { $0.deviation == .implausibleDuration }
        #expect(notes == [DeviationNote(deviation: .implausibleDuration, tag: .duration, line: line)])
    }

    @Test("A derived target duration is told from one that the playlist gives")
    func derivedTarget() throws {
        let given = try readMedia("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n")
        #expect(given.targetDurationSeconds == 4 && !given.isTargetDurationDerived)
        for unusable in ["", "#EXT-X-TARGETDURATION:0\n", "#EXT-X-TARGETDURATION:99999999999999999999\n"] {
            let derived = try readMedia("#EXTM3U\n\(unusable)#EXTINF:3.6,\na\n")
            #expect(derived.targetDurationSeconds == 4 && derived.isTargetDurationDerived)
        }
        let empty = try readMedia("#EXTM3U\n")
        #expect(empty.targetDurationSeconds == nil && !empty.isTargetDurationDerived)
    }

    @Test(
        "A number too large for the clock is implausible, and not unreadable",
        arguments: [
            ("99999999999999999999999", Deviation.implausibleDuration),
            ("9223372036854.775807", .implausibleDuration),
            ("+18446744073709551616.5", .implausibleDuration), ("-99999999999999999999", .negativeDuration),
            ("9999999999999999999x", .unreadableDuration), ("-.", .unreadableDuration),
        ])
    func hugeDuration(text: String, deviation: Deviation) throws {
        let read = try Playlist.reading("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:\(text),\na\n")
        let playlist = try read.playlist.media
        #expect(playlist.segments.map(\.durationMicroseconds) == [0])
        #expect(read.notes.map(\.deviation) == [deviation])
    }

    @Test(
        "A decimal attribute is written as it was read, however large it is",
        arguments: ["29.97", "1125899906.842623", "1125899906.842624", "8999999999999.999999", "0.000001"])
    func hugeDecimal(text: String) throws {
        let line = "#EXT-X-STREAM-INF:BANDWIDTH=1,SCORE=\(text)"
        let playlist = try readMultivariant("#EXTM3U\n\(line)\nv.m3u8\n")
        #expect(playlist.written().contains(line + "\n"))
    }
}
