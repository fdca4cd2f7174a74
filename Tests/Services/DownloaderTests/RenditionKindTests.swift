import Foundation
import HTTPSupport
import JSON
import Testing
import Timeline

@testable import Downloader

@Suite("What the renditions of a task are", .timeLimit(.minutes(30)))
struct RenditionKindTests {
    private func kinds(_ task: DownloadTask) -> [String] {
        let text = String(decoding: task.json.bytes, as: UTF8.self)
        return text.matches(of: /"kind":"([a-z]+)"/).map { String($0.1) }
    }

    @Test(
        "A media playlist that has sound alone is audio",
        arguments: [[], ["-hls_segment_type", "fmp4"], ["-hls_key_info_file", "key.info"]])
    func sound(options: [String]) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serveSound(options)
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
