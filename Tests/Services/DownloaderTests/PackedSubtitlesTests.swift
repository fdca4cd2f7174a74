import Files
import Foundation
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

/// The times of a file are those that ffprobe reads.
@Suite("Subtitles of an MP4 file, beside its video", .timeLimit(.minutes(30)))
struct PackedSubtitlesTests {
    private func rows(_ stream: String, of file: String) async throws -> [[Substring]] {
        let packets = try await Command.run(
            "/usr/bin/env",
            [
                "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,size",
                "-of", "csv=p=0", file,
            ])
        return packets.split(separator: "\n").map { $0.split(separator: ",") }
    }

    /// The times at which texts are shown, in seconds behind the first picture.
    private func shown(in file: String) async throws -> [Double] {
        let pictures = try await rows("v", of: file).compactMap { $0.first.flatMap { Double($0) } }
        let first = try #require(pictures.min())
        // The text of a packet has its length of two bytes in front; one without text is a pause.
        return try await rows("s", of: file).filter { $0.count > 1 && $0[1] != "2" }
            .compactMap { Double($0[0]).map { $0 - first } }
    }

    @Test("They are shown when the folder shows them")
    func whole() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.separateAudio)
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .mp4
            request.subtitles = .all
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let times = try await shown(in: downloading.path("task", "task.mp4"))
            #expect(times.count == 2)
            for (time, expected) in zip(times, [0.0, 3.0]) { #expect(abs(time - expected) < 0.15) }
        }
    }

    @Test("A disk that is full while they are collected gets its space back, and the task is paused")
    func full() async throws {
        try await FaultyOrigin.run(serving: .separateAudio) { origin in
            let full = Disk<DownloadError> { operation, path in
                operation == .write && path.contains("s0.vtt") ? ENOSPC : nil
            }
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .mp4
            request.subtitles = .all
            let paused = try await downloading.run(request, disk: full)
            #expect(paused.state == .paused && paused.error?.title == "Disk full")
            let files = try downloading.files("task").keys
            #expect(!files.contains { $0.hasSuffix(".part") }, "\(files)")
            #expect(try await downloading.run(request).state == .completed)
        }
    }

    /// Serves ten seconds of video in segments of two seconds, and of sound in segments of three.
    private func serve(_ origin: FaultyOrigin, _ type: String) async throws {
        let folder = try TemporaryFolder("tracks")
        let ending = type == "fmp4" ? "m4s" : "ts"
        try await Command.run(
            "/usr/bin/env",
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                "testsrc2=size=96x64:rate=10:duration=10", "-f", "lavfi", "-i", "sine=duration=10",
                "-map", "0", "-c:v", "libx264", "-preset", "ultrafast", "-g", "20", "-pix_fmt", "yuv420p",
                "-f", "hls", "-hls_segment_type", type, "-hls_fmp4_init_filename", "v.mp4", "-hls_time", "2",
                "-hls_playlist_type", "vod", "-hls_segment_filename", "v%d.\(ending)", "v.m3u8",
                "-map", "1", "-c:a", "aac", "-f", "hls", "-hls_segment_type", type,
                "-hls_fmp4_init_filename", "a.mp4", "-hls_time", "3", "-hls_playlist_type", "vod",
                "-hls_segment_filename", "a%d.\(ending)", "a.m3u8",
            ], in: folder.path)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            origin.serve("/\(name)", Array(try Data(contentsOf: folder.url.appending(path: name))))
        }
        // The first picture has this time: ffmpeg begins transport streams at 1.4 s.
        let begin = type == "fmp4" ? 0 : 126_000
        let map = "X-TIMESTAMP-MAP=MPEGTS:\(begin + 90_000),LOCAL:00:00:01.000"
        for (name, header) in [("s", "WEBVTT"), ("m", "WEBVTT\n\(map)")] {
            origin.serve("/\(name).vtt", "\(header)\n\n00:05.000 --> 00:06.000\nFive\n")
            origin.serve(
                "/\(name).m3u8",
                "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n\(name).vtt\n#EXT-X-ENDLIST\n")
        }
        let tracks = ["s": "en", "m": "fi"].sorted { $0.key < $1.key }.map { name, language in
            "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"\(name)\",LANGUAGE=\"\(language)\",URI=\"\(name).m3u8\"\n"
        }
        origin.serve(
            "/index.m3u8",
            """
            #EXTM3U
            \(tracks.joined())#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Sine",DEFAULT=YES,URI="a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=200000,CODECS="avc1.42c00a,mp4a.40.2",AUDIO="a",SUBTITLES="s"
            v.m3u8

            """)
    }

    @Test(
        "Of a range they fit the video, also where the audio begins earlier",
        arguments: ["mpegts", "fmp4"], ["en", "fi"])
    func range(type: String, language: String) async throws {
        try await FaultyOrigin.run { origin in
            try await serve(origin, type)
            let downloading = try Downloading()
            var request = origin.request("/index.m3u8")
            request.format = .mp4
            request.subtitles = .languages([language])
            // The picture begins at 4 s, and the sound at 3 s.
            request.range = TimeRange("4-8")
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let times = try await shown(in: downloading.path("task", "task.mp4"))
            #expect(times.count == 1 && abs((times.first ?? 0) - 1) < 0.06, "\(times)")
        }
    }

    @Test("Media times are those of the file: steps back and long gaps are closed, as ffmpeg does")
    func times() {
        var times = PackedTimes(startDelay: 500, start: 4_000)
        #expect(times.origin == -3_500 && times.anchor(at: 0) == nil)
        times.append(mpegTicks: (1 << 33) - 90_000, position: 4_000, duration: 2_000)
        // 33 bits have wrapped; the playlist counts more than there is.
        times.append(mpegTicks: 81_000, position: 6_500, duration: 2_000)
        times.append(mpegTicks: 90_000 * 5_000, position: 8_500, duration: 2_000)
        times.append(mpegTicks: 90_000, position: 10_500, duration: 2_000)
        let found = [4_000, 6_499, 6_500, 9_000, 20_000].map { times.anchor(at: $0)?.position }
        #expect(found == [500, 500, 2_400, 4_400, 6_400])
    }
}
