import Foundation
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

@Suite("The tracks of an MP4 file", .timeLimit(.minutes(30)))
struct PackedTracksTests {
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
            let downloading = try Downloading()
            var request = origin.request()
            request.format = .mp4
            let task = try await downloading.run(request)
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let facts = try await Command.run(
                "/usr/bin/env",
                [
                    "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
                    "stream=codec_tag_string", "-of", "csv=p=0", downloading.path("task", "task.mp4"),
                ])
            #expect(facts.split(separator: "\n").first == Substring(name))
        }
    }
}
