import HLS
import Playback
import TestSupport
import Testing
import Timeline

struct MediaPlaylistRendererTests {
    @Test("A simple window is a finished VOD playlist with a date at its first segment")
    func plain() throws {
        let text = try RecordedFixture(run(3, from: 0)).closed(0, 12).text()
        #expect(
            text == """
                #EXTM3U
                #EXT-X-VERSION:3
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-DISCONTINUITY-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-PROGRAM-DATE-TIME:2016-07-26T05:05:16.000Z
                #EXTINF:4.000000,
                v0/1469509516000.ts
                #EXTINF:4.000000,
                v0/1469509520000.ts
                #EXTINF:4.000000,
                v0/1469509524000.ts
                #EXT-X-ENDLIST

                """)
    }

    @Test("A begin within the first segment is written as START, accurate to a microsecond")
    func start() throws {
        let text = try RecordedFixture(run(3, from: 0)).closed(1.5, 12).text() ?? ""
        #expect(text.contains("#EXT-X-START:TIME-OFFSET=1.5,PRECISE=YES\n"))
        let whole = try RecordedFixture(run(3, from: 0)).closed(-10, 12).text() ?? ""
        #expect(!whole.contains("EXT-X-START"))
    }

    @Test("A hole is written as a discontinuity with a new date")
    func hole() throws {
        let text = try RecordedFixture(run(1, from: 0) + run(1, from: 60, number: 1, sequence: 1)).closed(
            0, 64
        )
        .text()
        #expect(
            text?.hasSuffix(
                """
                #EXTINF:4.000000,
                v0/1469509516000.ts
                #EXT-X-DISCONTINUITY
                #EXT-X-PROGRAM-DATE-TIME:2016-07-26T05:06:16.000Z
                #EXTINF:4.000000,
                v0/1469509576000.ts
                #EXT-X-ENDLIST

                """) == true)
    }

    @Test("There are as many discontinuities between segments as their sequence numbers differ")
    func severalSequences() throws {
        let window = try RecordedFixture(run(1, from: 0, sequence: 7) + run(1, from: 60, sequence: 10))
            .closed(0, 64)
        let list = try #require(try readBack(window.text()))
        #expect(list.segments.map(\.discontinuityCount) == [0, 3])
        #expect(list.discontinuitySequence == 7)
    }

    @Test("GAP entries fill a hole on request, none longer than the target duration")
    func gaps() throws {
        let recorded = RecordedFixture(run(1, from: 0) + run(1, from: 14, sequence: 1))
        let window = try recorded.closed(0, 18) { $0.writesGaps = true }
        let list = try #require(try readBack(window.text()))
        #expect(list.version == 8)
        #expect(list.segments.map(\.isGap) == [false, true, true, true, false])
        #expect(list.segments.allSatisfy { $0.durationMicroseconds <= 4_000_000 })
        #expect(list.durationMicroseconds == 18_000_000)
        #expect(list.segments.last?.discontinuityCount == 1)
    }

    @Test("A date is written again if the one that players compute is off by more than 100 ms")
    func dates() throws {
        var segments = run(3, from: 0)
        segments[1].start = at(4.09)
        segments[2].start = at(8.12)
        let list = try #require(try readBack(try RecordedFixture(segments).closed(0, 12).text()))
        #expect(
            list.segments.map(\.programDateTimeMicroseconds) == [
                at(0).microseconds, nil, at(8.12).microseconds,
            ])
    }

    @Test("Durations keep their microseconds")
    func durations() throws {
        var segments = run(2, from: 0, of: 2.005333)
        segments[1].revision = 2
        let text = try RecordedFixture(segments).closed(0, 4).text() ?? ""
        #expect(text.contains("#EXTINF:2.005333,\nv0/1469509516000.ts\n"))
        #expect(text.contains("#EXTINF:2.005333,\nv0/1469509518005-2.ts\n"))
    }

    @Test("The target duration is the largest EXTINF of all renditions, rounded to the nearest second")
    func targetDuration() throws {
        var recorded = RecordedFixture(run(3, from: 0, of: 4))
        recorded.add(run(2, from: 0, of: 6.5), as: "a0")
        let window = try recorded.closed(0, 12)
        #expect(try readBack(window.text())?.targetDurationSeconds == 7)
        #expect(try readBack(window.text(of: "a0"))?.targetDurationSeconds == 7)
    }

    /// Segments of ten seconds by EXTINF, of which the media of the first two play 2 and 12.6 seconds.
    private var measured: [RecordedSegment] {
        var segments = run(3, from: 0, of: 10)
        segments[0].measuredDuration = 2_000_000
        segments[1].measuredDuration = 12_600_000
        return segments
    }

    @Test("EXTINF says how long the media play, and dates where they begin, also when the source's was wrong")
    func wrongDurations() throws {
        let text = try RecordedFixture(measured).closed(0, 30).text()
        #expect(
            text?.hasSuffix(
                """
                #EXTINF:2.000000,
                v0/1469509516000.ts
                #EXT-X-PROGRAM-DATE-TIME:2016-07-26T05:05:26.000Z
                #EXTINF:12.600000,
                v0/1469509526000.ts
                #EXT-X-PROGRAM-DATE-TIME:2016-07-26T05:05:36.000Z
                #EXTINF:10.000000,
                v0/1469509536000.ts
                #EXT-X-ENDLIST

                """) == true)
        #expect(text?.contains("#EXT-X-TARGETDURATION:13\n") == true)
        // A viewer asks for a time at which the first segment has nothing left.
        let late = try RecordedFixture(measured).closed(7, 30).text() ?? ""
        #expect(late.contains("#EXT-X-START:TIME-OFFSET=2,PRECISE=YES\n"))
    }

    @Test("Every kind of playlist says the same of a segment")
    func sameEverywhere() throws {
        let recorded = RecordedFixture(measured, until: 30)
        let texts = try [
            recorded.closed(0, 30).text(), recorded.event(0, 30).text(),
            recorded.sliding(length: 60, now: 30).text(),
        ]
        for text in texts {
            let list = try #require(try readBack(text))
            #expect(list.segments.map(\.durationMicroseconds) == [2_000_000, 12_600_000, 10_000_000])
            #expect(list.targetDurationSeconds == 13)
        }
    }

    @Test("GAP entries are no longer than the EXTINF beside them")
    func gapsBesideShortMedia() throws {
        var segments = run(1, from: 0, of: 10) + run(1, from: 30, of: 10, sequence: 1)
        for index in segments.indices { segments[index].measuredDuration = 4_000_000 }
        let window = try RecordedFixture(segments).closed(0, 40) { $0.writesGaps = true }
        let list = try #require(try readBack(window.text()))
        #expect(list.targetDurationSeconds == 4)
        #expect(list.segments.allSatisfy { $0.durationMicroseconds <= 4_000_000 })
    }

    @Test("INDEPENDENT-SEGMENTS is written only if every segment is independent")
    func independent() throws {
        let all = RecordedFixture(run(2, from: 0, flags: .independent))
        #expect(try readBack(try all.closed(0, 8).text())?.isIndependentSegments == true)
        let some = RecordedFixture(run(2, from: 0, flags: .independent) + run(1, from: 8))
        #expect(try readBack(try some.closed(0, 12).text())?.isIndependentSegments == false)
    }
}
