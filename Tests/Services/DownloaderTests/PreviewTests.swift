import Concurrency
import HTTPClient
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Downloader

@Suite("What would be taken", .timeLimit(.minutes(2)))
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
            let running = try await preview(origin) {
                ($0.begin, $0.duration) = ("2016-07-26T05:05:16Z", "100000000000")
            }
            #expect(running.notes?.first?.contains("the window has not ended") ?? false)
            #expect(origin.log.last?.query?.contains("mode=event") ?? false)
        }
    }

    @Test("Segments that are sound by their names are told as sound")
    func sound() async throws {
        try await FaultyOrigin.run(serving: .separateAudio) { origin in
            let task = try await preview(origin) { $0.url = origin.url("/vod/audio.m3u8") }
            #expect(task.renditions.map(\.kind) == [.audio])
        }
    }
}
