import Concurrency
import HTTPClient
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Downloader

@Suite("What would be taken", .timeLimit(.minutes(30)))
struct PreviewTests {
    private func preview(
        _ origin: FaultyOrigin, _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> DownloadTask {
        var request = origin.request()
        change(&request)
        let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        let task: Result<DownloadTask, any Error>
        do {
            task = .success(
                try await DownloadService.preview(
                    request, DownloadOptions(), client: client, clock: Downloading.hasty))
        } catch {
            task = .failure(error)
        }
        await client.close()
        return try task.get()
    }

    @Test("Not more than --duration is counted, of a presentation that has ended and of one that has not")
    func duration() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let ended = try await preview(origin) { $0.duration = "2.5" }
            #expect(ended.segmentsTotal == 3 && ended.durationSeconds == 3 && ended.notes == nil)
            #expect(try await preview(origin).segmentsTotal == 6)
            origin.reopen("/vod/index.m3u8")
            let live = try await preview(origin) { $0.duration = "PT2.5S" }
            #expect(live.segmentsTotal == 3 && live.durationSeconds == 3)
            let longer = try await preview(origin) { $0.duration = "60" }
            #expect(longer.segmentsTotal == 6)
            #expect(longer.notes?.first?.contains("until there are 60 s") ?? false)
            #expect(try await preview(origin).notes?.first?.contains("it has not ended") ?? false)
        }
    }

    @Test("A window has its length, and one that has not ended says so")
    func window() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            origin.add(["Backcast-Window": "a/b"], to: "/vod/index.m3u8")
            let past = try await preview(origin) { ($0.begin, $0.duration) = ("2016-07-26T05:05:16Z", "60") }
            #expect(past.segmentsTotal == 6 && past.notes == nil)
            let asked = origin.requests(for: "/vod/index.m3u8").last?.query
            #expect(asked?.contains("duration=60") ?? false)
            origin.reopen("/vod/index.m3u8")
            origin.add(["Backcast-Window": "a/b", "Backcast-Final": "false"], to: "/vod/index.m3u8")
            let running = try await preview(origin) {
                ($0.begin, $0.duration) = ("2016-07-26T05:05:16Z", "60")
            }
            #expect(running.notes?.first?.contains("the window has not ended") ?? false)
            let growing = origin.requests(for: "/vod/index.m3u8").last?.query
            #expect(growing?.contains("mode=event") ?? false)
        }
    }

    @Test("Segments that are sound by their names are told as sound")
    func sound() async throws {
        try await FaultyOrigin.run(serving: .separateAudio) { origin in
            let task = try await preview(origin) { $0.url = origin.url("/vod/audio.m3u8") }
            #expect(task.renditions.map(\.kind) == [.audio])
        }
    }

    /// What was asked for beside playlists.
    private func media(_ origin: FaultyOrigin) -> [FaultyOrigin.Request] {
        origin.log.filter { !$0.path.hasSuffix(".m3u8") }
    }

    @Test(
        "Sound alone is told by the beginning of a segment, or by the initialization section",
        arguments: [[], ["-hls_segment_type", "fmp4"], ["-hls_flags", "single_file"]],
        ["index.m3u8", "all.m3u8"])
    func soundAlone(options: [String], name: String) async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serveSound(options)
            origin.serve("/vod/all.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nindex.m3u8\n")
            let task = try await preview(origin) { $0.url = origin.url("/vod/\(name)") }
            #expect(task.renditions.map(\.kind) == [.audio])
            #expect(media(origin).count == 1)
            #expect(media(origin).allSatisfy { $0.range?.hasPrefix("bytes=0-") ?? false })
        }
    }

    @Test("A picture is told as well", arguments: SampleStreams.Kind.allCases)
    func picture(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run(serving: kind) { origin in
            let task = try await preview(origin)
            #expect(task.renditions.first?.kind == .video)
            // A variant with CODECS has told it, and no key is asked for.
            let isAsked = kind != .separateAudio && kind != .encrypted
            #expect(media(origin).count == (isAsked ? 1 : 0))
        }
    }

    @Test("A source that ignores ranges tells it, and one that breaks or does not end is asked once")
    func faults() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serveSound([])
            let segment = try #require(origin.segments().first)
            let faults: [(fault: FaultyOrigin.Fault, kind: RenditionKind)] = [
                (.garbled(after: .max), .audio), (.status(500), .video), (.endless, .video),
                (.wrongRange, .video), (.webPage, .video),
            ]
            for (fault, kind) in faults {
                let count = origin.requests(for: segment).count
                origin.fail(segment, [fault])
                #expect(try await preview(origin).renditions.map(\.kind) == [kind], "\(fault)")
                #expect(origin.requests(for: segment).count == count + 1, "\(fault)")
            }
        }
    }
}
