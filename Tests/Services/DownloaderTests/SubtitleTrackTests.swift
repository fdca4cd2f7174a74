import Foundation
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

/// The times are those of RFC 8216 §3.5 and of WebVTT.
@Suite("Subtitles of an MP4 file")
struct SubtitleTrackTests {
    private func track(_ texts: [String], anchor: SubtitleTrack.Anchor? = nil, skipped: Int64 = 0) -> String {
        var track = SubtitleTrack()
        for text in texts { track.append(text, anchor: anchor, skipped: skipped) }
        return track.text
    }

    @Test("Times of the media become those of the presentation")
    func mapped() {
        // 900,000 ticks are 10 s: the cue is 2 s after LOCAL, and the media of second 20 begins at 11 s.
        let text = """
            WEBVTT
            X-TIMESTAMP-MAP=LOCAL:00:01:00.000,MPEGTS:900000

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
            track([text], anchor: anchor, skipped: 3_600_000)
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

    @Test("An MP4 file shows its subtitles when the folder does", .timeLimit(.minutes(3)))
    func times() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.separateAudio)
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .mp4
            request.subtitles = .all
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let packets = try await Command.run(
                "/usr/bin/env",
                [
                    "ffprobe", "-v", "error", "-select_streams", "s", "-show_entries", "packet=pts_time,size",
                    "-of", "csv=p=0", downloading.path("task", "task.mp4"),
                ])
            let rows = packets.split(separator: "\n").map { $0.split(separator: ",") }
            // The text of a packet has its length of two bytes in front; one without text is a pause.
            let times = rows.filter { $0.count > 1 && $0[1] != "2" }.compactMap { Double($0[0]) }
            #expect(times.count == 2)
            for (time, expected) in zip(times, [0.0, 3.0]) { #expect(abs(time - expected) < 0.15) }
        }
    }
}
