import Foundation
import HTTPSupport
import JSON
import TestSupport
import Testing
import Timeline

@testable import Downloader

@Suite("What the renditions of a task are", .timeLimit(.minutes(3)))
struct RenditionKindTests {
    /// Serves two seconds of sound, as a media playlist.
    private func serveSound(_ origin: FaultyOrigin, _ options: [String]) async throws {
        let folder = try TemporaryFolder("sound")
        try Data((1...16).map { UInt8($0) }).write(to: folder.url.appending(path: "a.key"))
        _ = try folder.write("a.key\n\(folder.path(of: "a.key"))\n", to: "key.info")
        try await Command.run(
            "/usr/bin/env",
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=duration=2", "-c:a", "aac",
                "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod",
            ] + options + ["index.m3u8"], in: folder.path)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            origin.serve("/vod/\(name)", Array(try Data(contentsOf: folder.url.appending(path: name))))
        }
    }

    private func kinds(_ task: DownloadTask) -> [String] {
        let text = String(decoding: task.json.bytes, as: UTF8.self)
        return text.matches(of: /"kind":"([a-z]+)"/).map { String($0.1) }
    }

    @Test(
        "A media playlist that has sound alone is audio",
        arguments: [[], ["-hls_segment_type", "fmp4"], ["-hls_key_info_file", "key.info"]])
    func sound(options: [String]) async throws {
        try await FaultyOrigin.run { origin in
            try await serveSound(origin, options)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(kinds(task) == ["audio"])
            #expect(task.picture == nil)
            #expect(try await downloading.playing("task").isEmpty)
            let again = try await downloading.run(origin.request())
            #expect(kinds(again) == ["audio"])
        }
    }

    @Test(
        "A media playlist with a picture is video, as are tasks of earlier programs",
        arguments: SampleStreams.Kind.allCases)
    func picture(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let task = try await Downloading().run(origin.request())
            #expect(kinds(task) == (kind == .separateAudio ? ["video", "audio"] : ["video"]))
        }
        let old = try JSONDecoder().decode(TaskRendition.self, from: Data(#"{"id":"v0"}"#.utf8))
        #expect(old.kind == .video)
    }
}
