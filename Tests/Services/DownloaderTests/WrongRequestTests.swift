import Files
import HLS
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

@Suite("Requests for what is not there", .timeLimit(.minutes(30)))
struct WrongRequestTests {
    /// What a task with some wishes ends with.
    private func failure(
        _ path: String = "/vod/index.m3u8", serving kind: SampleStreams.Kind = .transportStream,
        _ change: (inout DownloadRequest) -> Void
    ) async throws -> String {
        var detail = ""
        try await FaultyOrigin.run(serving: kind) { origin in
            var request = origin.request(path)
            change(&request)
            let task = try await Downloading().run(request)
            #expect(task.state == .failed)
            detail = task.error?.detail ?? ""
        }
        return detail
    }

    @Test("A range behind the end fails and says so")
    func range() async throws {
        #expect(try await failure { $0.range = TimeRange("100-200") }.contains("range lies outside"))
    }

    @Test("Languages of a playlist that lists none fail by name")
    func languages() async throws {
        #expect(try await failure { $0.audio = .languages(["fi"]) }.contains("audio in fi"))
        #expect(try await failure { $0.subtitles = .languages(["en"]) }.contains("subtitles in en"))
    }

    @Test("A window of a server that knows none fails, and is not everything that it has")
    func window() async throws {
        let detail = try await failure {
            ($0.begin, $0.duration) = ("2026-11-22T20:15:00Z", "5")
        }
        #expect(detail.contains("--begin is for channels of Backcast"))
    }

    @Test("What a server says of an error is shown", arguments: [404, 400])
    func problem(status: Int) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let words = "nothing is recorded in the window"
            origin.fail("/vod/index.m3u8", Array(repeating: .problem(status, words), count: 6))
            let task = try await Downloading().run(origin.request())
            #expect(task.state == .failed)
            #expect(
                task.error?.detail.hasSuffix("status \(status): \(words)") ?? false,
                "\(task.error?.detail ?? "")")
        }
    }

    @Test("A complete task that is asked for otherwise is refused, and stays as it is")
    func otherwise() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let downloading = try Downloading()
            #expect(try await downloading.run(origin.request()).state == .completed)
            let files = try downloading.files("task")
            for change: (inout DownloadRequest) -> Void in [
                { $0.format = .mp4 }, { $0.quality = .worst }, { $0.range = TimeRange("0-2") },
                { $0.decrypts = true },
            ] {
                var request = origin.request()
                change(&request)
                let asked = request
                let refusal = await #expect(throws: DownloadError.self) { try await downloading.run(asked) }
                #expect(refusal?.isRefusal ?? false)
                #expect(refusal?.description.contains("--id") ?? false)
            }
            #expect(try downloading.files("task") == files)
            #expect(try await downloading.run(origin.request()).state == .completed)
        }
    }

    @Test(
        "What is stored encrypted does not go on clear, nor the other way round",
        arguments: [SampleStreams.Kind.encrypted, .transportStream], [false, true])
    func storage(kind: SampleStreams.Kind, isClear: Bool) async throws {
        try await FaultyOrigin.run(serving: kind) { origin in
            origin.fail(origin.segments()[4], Array(repeating: .status(500), count: 8))
            let downloading = try Downloading()
            func request(_ isClear: Bool, _ format: DownloadFormat = .folder) -> DownloadRequest {
                var request = origin.request()
                (request.decrypts, request.format) = (isClear && format == .folder, format)
                return request
            }
            #expect(try await downloading.run(request(isClear)).state == .failed)
            let files = try downloading.files("task")
            let clear = [request(true), request(true, .ts), request(true, .mp4)]
            let others = isClear ? [request(false)] : clear
            if kind == .encrypted {
                for other in others {
                    let refusal = await #expect(throws: DownloadError.self) {
                        try await downloading.run(other)
                    }
                    #expect(refusal?.isRefusal ?? false)
                    #expect(refusal?.description.contains("--id") ?? false)
                }
                #expect(try downloading.files("task") == files)
                #expect(try await downloading.run(request(isClear)).state == .completed)
            } else {
                #expect(try await downloading.run(others[0]).state == .completed)
            }
            #expect(try await downloading.playing("task").isEmpty)
        }
    }

    @Test("Another query asks the source, also where only packing is left")
    func otherQuery() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let paths = origin.segments()
            origin.serve(
                "/vod/window.m3u8",
                answered: { asked in
                    let isSecond = asked.query?.contains("begintime=B") ?? false
                    let listed = isSecond ? 3..<6 : 0..<3
                    let lines =
                        ["#EXTM3U", "#EXT-X-TARGETDURATION:1"]
                        + ["#EXT-X-MEDIA-SEQUENCE:\(listed.lowerBound)"]
                        + listed.flatMap { ["#EXTINF:1,", paths[$0]] } + ["#EXT-X-ENDLIST", ""]
                    return (lines.joined(separator: "\n"), [:])
                })
            func request(_ query: String) -> DownloadRequest {
                var request = origin.request("/vod/window.m3u8?\(query)")
                request.format = .ts
                return request
            }
            let downloading = try Downloading()
            let first = try await downloading.run(request("begintime=A&duration=3"), disk: .withoutPacking)
            #expect(first.state == .paused)
            let files = try downloading.files("task")
            let refusal = await #expect(throws: DownloadError.self) {
                try await downloading.run(request("begintime=B&duration=3"))
            }
            #expect(refusal?.isRefusal ?? false)
            #expect(try downloading.files("task") == files)
            let task = try await downloading.run(request("begintime=A&duration=3&token=new"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            let whole = paths.prefix(3).flatMap { origin.bytes($0) ?? [] }
            #expect(try downloading.bytes("task", "task.ts") == whole)
            #expect(paths.map { origin.requests(for: $0).count } == [1, 1, 1, 0, 0, 0])
        }
    }

    @Test("A task that cannot even begin has failed, also in its folder")
    func unsendable() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let downloading = try Downloading()
            var request = origin.request()
            request.headers = [DownloadRequest.Field(name: "bad name", value: "x")]
            let task = try await downloading.run(request)
            #expect(task.state == .failed && task.error?.detail.contains("bad name") ?? false)
            let kept = String(decoding: try downloading.bytes("task", "task.json"), as: UTF8.self)
            #expect(kept.contains(#""state" : "failed""#))
            #expect(try await downloading.run(origin.request()).state == .completed)
        }
    }

    @Test("A presentation that is not complete ends all the same, for players")
    func ended() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let downloading = try Downloading()
            origin.fail(origin.segments()[4], Array(repeating: .status(500), count: 8))
            let task = try await downloading.run(origin.request())
            #expect(task.state == .failed)
            #expect(task.error?.detail.hasPrefix("v0/00005.ts (index4.ts at the source): ") ?? false)
            let playlist = try readMedia(
                String(decoding: downloading.bytes("task", "index.m3u8"), as: UTF8.self))
            #expect(playlist.isEnded && playlist.segments.contains { $0.isGap })
        }
    }
}
