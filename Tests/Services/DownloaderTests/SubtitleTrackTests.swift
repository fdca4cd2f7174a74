import Testing

@testable import Downloader

/// The times are those of RFC 8216 §3.5 and of WebVTT.
@Suite("Subtitles of an MP4 file")
struct SubtitleTrackTests {
    private func track(_ texts: [String], anchor: SubtitleTrack.Anchor? = nil, origin: Int64 = 0) -> String {
        var track = SubtitleTrack()
        for text in texts { track.append(text, anchor: anchor, origin: origin) }
        return track.text
    }

    @Test(
        "Times of the media become those of the presentation, also where they have more than 33 bits",
        arguments: [900_000, 900_000 + 1 << 33, 900_000 + 9 << 60] as [UInt64])
    func mapped(ticks: UInt64) {
        // 900,000 ticks are 10 s: the cue is 2 s after LOCAL, and the media of second 20 begins at 11 s.
        let text = """
            WEBVTT
            X-TIMESTAMP-MAP=LOCAL:00:01:00.000,MPEGTS:\(ticks)

            1
            01:02.000 --> 01:03.500 line:90%
            Two
            lines

            """
        let anchor = SubtitleTrack.Anchor(mpegTicks: 990_000, position: 20_000)
        #expect(track([text], anchor: anchor) == "WEBVTT\n\n00:00:21.000 --> 00:00:22.500\nTwo\nlines\n")
    }

    @Test("Times of the media that have begun again at 0 are behind those before")
    func wrapped() {
        let text = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\nA\n"
        let anchor = SubtitleTrack.Anchor(mpegTicks: (1 << 33) - 90_000, position: 5_000)
        #expect(track([text], anchor: anchor) == "WEBVTT\n\n00:00:07.000 --> 00:00:08.000\nA\n")
    }

    @Test("Without a map, times count from the start of the presentation at its source")
    func unmapped() {
        let text = "WEBVTT\r\n\r\n01:00:12.000 --> 01:00:13.000\r\nA\r\n"
        let anchor = SubtitleTrack.Anchor(mpegTicks: 126_000, position: 0)
        #expect(
            track([text], anchor: anchor, origin: -3_600_000)
                == "WEBVTT\n\n00:00:12.000 --> 00:00:13.000\nA\n")
    }

    @Test("A cue of two segments is there once; styles, comments and what is no cue are left out")
    func blocks() {
        let first = "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nNOTE no\n\n00:01.000 --> 00:04.000\nA\n"
        let second = "WEBVTT\n\n00:01.000 --> 00:04.000\nA\n\n00:05.000 --> 00:04.000\nB\n\nx --> y\nC\n"
        let empty = "WEBVTT\n"
        #expect(track([first, second, empty]) == "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nA\n")
        #expect(track([empty]) == "WEBVTT\n\n")
    }
}
