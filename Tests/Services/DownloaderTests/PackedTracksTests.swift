import Foundation
import HTTPSupport
import MediaFormat
import TestSupport
import Testing
import Timeline

@testable import Downloader

@Suite("The tracks of an MP4 file", .timeLimit(.minutes(30)))
struct PackedTracksTests {
    /// What ffprobe says of the tracks of a kind in the MP4 file of a download, a line for each.
    private func probed(
        _ request: DownloadRequest, _ kind: String, _ entries: String
    ) async throws -> [String] {
        let downloading = try Downloading()
        var request = request
        request.format = .mp4
        let task = try await downloading.run(request)
        #expect(task.state == .completed, "\(task.error?.detail ?? "")")
        let facts = try await Command.run(
            "/usr/bin/env",
            [
                "ffprobe", "-v", "error", "-select_streams", kind, "-show_entries", entries, "-of", "csv=p=0",
                downloading.path("task", "task.mp4"),
            ])
        return facts.split(separator: "\n").map(String.init)
    }

    /// An origin with other PIDs after the second segment of `index.m3u8`.
    private func serveRenumbered(_ origin: FaultyOrigin, pids: [UInt16: UInt16]) async throws {
        try await origin.serve(.transportStream)
        let segments = origin.segments()
        for path in segments.dropFirst(2) {
            origin.serve(path, RenumberedStream.bytes(try #require(origin.bytes(path)), pids))
        }
        let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
        var lines = text.split(separator: "\n")
        let third = try #require(lines.firstIndex { $0.hasSuffix("index2.ts") })
        lines.insert("#EXT-X-DISCONTINUITY", at: third - 1)
        origin.serve("/vod/index.m3u8", lines.joined(separator: "\n") + "\n")
    }

    @Test(
        "One MP4 file has all of a stream whose PIDs change",
        arguments: [[0x100: 0x44, 0x101: 0x45], [0x100: 0x101, 0x101: 0x100]] as [[UInt16: UInt16]])
    func changedPIDs(pids: [UInt16: UInt16]) async throws {
        var files: [TestMovie] = []
        for pids in [[:], pids] {
            try await FaultyOrigin.run { origin in
                try await serveRenumbered(origin, pids: pids)
                let downloading = try Downloading()
                var request = origin.request()
                request.format = .mp4
                let task = try await downloading.run(request)
                #expect(task.state == .completed, "\(task.error?.detail ?? "")")
                #expect(Set(try downloading.files("task").keys) == ["task.mp4"])
                files.append(try TestMovie(try downloading.bytes("task", "task.mp4")))
            }
        }
        #expect(try await files[1].complaints() == "")
        for kind in ["v", "a"] {
            let expected = try await files[0].packets(kind)
            let packets = try await files[1].packets(kind)
            #expect(expected.count >= 60)
            #expect(packets.map(\.digest) == expected.map(\.digest))
            // ffmpeg rounds the times of a playlist in another way.
            #expect(zip(packets, expected).allSatisfy { abs($0.seconds - $1.seconds) < 0.001 })
        }
    }

    @Test("An MP4 file has the language of audio that is inside of the video")
    func language() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let master = [
                "#EXTM3U",
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"Deutsch\",LANGUAGE=\"de\",DEFAULT=YES",
                "#EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO=\"a\"", "index.m3u8", "",
            ]
            origin.serve("/vod/master.m3u8", master.joined(separator: "\n"))
            let languages = try await probed(origin.request("/vod/master.m3u8"), "a", "stream_tags=language")
            #expect(languages == ["deu"])
        }
    }

    /// Makes null packets of the packets of a PID in some segments, so that only their tables have it.
    private func empty(_ pid: UInt16, in paths: some Sequence<String>, of origin: FaultyOrigin) throws {
        for path in paths {
            var bytes = try #require(origin.bytes(path))
            for start in stride(from: 0, to: bytes.count, by: 188)
            where UInt16(bytes[start + 1] & 0x1F) << 8 | UInt16(bytes[start + 2]) == pid {
                let packet = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
                bytes.replaceSubrange(start..<(start + 188), with: packet)
            }
            origin.serve(path, bytes)
        }
    }

    private func packed(_ origin: FaultyOrigin) async throws -> TestMovie {
        let downloading = try Downloading()
        var request = origin.request()
        request.format = .mp4
        let task = try await downloading.run(request)
        #expect(task.state == .completed, "\(task.error?.detail ?? "")")
        return try TestMovie(try downloading.bytes("task", "task.mp4"))
    }

    @Test(
        "A track that is announced but has no media is not in the MP4 file, one that begins late is",
        arguments: [(0x101, 6), (0x100, 6), (0x101, 5)] as [(UInt16, Int)])
    func announced(pid: UInt16, segmentCount: Int) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let whole = try await packed(origin)
            try empty(pid, in: origin.segments().prefix(segmentCount), of: origin)
            let movie = try await packed(origin)
            #expect(try await movie.complaints() == "")
            let (present, other) = pid == 0x100 ? ("a", "v") : ("v", "a")
            #expect(try await movie.packets(present).map(\.digest) == whole.packets(present).map(\.digest))
            let expected = try await whole.packets(other).map(\.digest)
            let found = try await movie.packets(other).map(\.digest)
            #expect(found.isEmpty == (segmentCount == 6))
            #expect(found == expected.suffix(found.count))
        }
    }

    @Test("A track that is announced without media beside separate audio is not in the MP4 file")
    func announcedBesideAudio() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let streams = origin.segments().compactMap { origin.bytes($0) }
            try await origin.serve(.separateAudio)
            let paths = streams.indices.map { "/vod/video\($0).ts" }
            for (path, bytes) in zip(paths, streams) { origin.serve(path, bytes) }
            try empty(0x101, in: paths, of: origin)
            let movie = try await packed(origin)
            #expect(try await movie.packets("v").count == 60)
            #expect((250...270).contains(try await movie.packets("a").count))
        }
    }

    @Test("ffmpeg is told of renditions before their variant, and of those that have media")
    func mapping() throws {
        let ids = try ["a0", "a1", "v0"].map { try #require(RenditionID($0)) }
        func track(_ id: UInt32, _ kind: Track.Kind, hasMedia: Bool) -> Track {
            var track = Track(id: id, kind: kind)
            if hasMedia { track.firstTimestamp = MediaTimestamp(mpeg: 1) }
            return track
        }
        let video = [track(1, .video, hasMedia: true), track(2, .audio, hasMedia: true)]
        let whole = PackedTracks.Announced(id: ids[2], tracks: video)
        #expect(PackedTracks([whole]) == PackedTracks())
        let tracks = PackedTracks([
            PackedTracks.Announced(id: ids[0], tracks: [track(1, .audio, hasMedia: false)]),
            PackedTracks.Announced(
                id: ids[1], tracks: [track(1, .audio, hasMedia: true)], byteCount: 7 << 20),
            whole,
        ])
        #expect(tracks.mapping == ["-map", "0:v:0", "-map", "0:a:1", "-map", "0:a:2"])
        #expect(tracks.absent == [ids[0]])
        #expect(tracks.probing.prefix(2) == ["-probesize", "\(7 << 20)"])
    }

    @Test("Segments stay where a track that comes later would not be in the MP4 file")
    func laterTrack() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let segments = origin.segments()
            // Of the same video, but without audio.
            let silent = try #require(try await SampleStreams.files(.separateAudio)["video0.ts"])
            origin.serve(segments[0], silent)
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .mp4
            let task = try await downloading.run(request)
            #expect(task.state == .failed)
            #expect(task.error?.detail.contains("v0/00002.ts has a track") ?? false)
            let files = try downloading.files("task")
            #expect(segments.indices.allSatisfy { files["v0/0000\($0 + 1).ts"] != nil })
            #expect(!files.keys.contains { $0.hasPrefix("task.mp4") || $0.hasPrefix(".task") })
            request.format = .folder
            #expect(try await downloading.run(request).state == .completed)
        }
    }

    @Test("Segments stay where the PIDs of one rendition of several change")
    func separateAudio() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.separateAudio)
            let path = "/vod/video3.ts"
            origin.serve(path, RenumberedStream.bytes(try #require(origin.bytes(path)), [0x100: 0x44]))
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .mp4
            let task = try await downloading.run(request)
            #expect(task.state == .failed)
            #expect(task.error?.detail.contains("the PIDs of v0 change") ?? false)
            #expect(try downloading.bytes("task", "v0/00004.ts") == origin.bytes(path))
            #expect(try downloading.files("task")["task.mp4"] == nil)
        }
    }

    @Test(
        "HEVC of a transport stream has the name that Apple's players want",
        arguments: [("libx265", "hvc1"), ("libx264", "avc1")])
    func appleTag(encoder: String, name: String) async throws {
        let stream = try await EncodedVideo.transportStream(codec: encoder)
        try await FaultyOrigin.run { origin in
            origin.serve("/vod/a.ts", stream)
            origin.serve(
                "/vod/index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
            let tags = try await probed(origin.request(), "v", "stream=codec_tag_string")
            #expect(tags.first == name)
        }
    }
}
