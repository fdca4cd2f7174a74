import Catalogue
import HTTP
import HTTPSupport
import SegmentStore
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct DownloadTests {
    private let path = "/live/cctv2/download.ts?begintime=1469509518000&endtime=1469509536000"

    /// A transport stream of the video alone would be silent.
    @Test(
        "download.ts is 404 where the window has lost the separate audio, and 409 if strict",
        arguments: [
            ("", 404), ("&strict=true", 409), ("&rendition=v0", 200), ("&rendition=v0&strict=true", 200),
        ])
    func silentStream(query: String, status: Int) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            (recording.playlistForm, recording.watermark) = (.multivariant, 40)
            recording.add("v0", from: 0, count: 10, format: .silent) { $0.audioGroup = "aac" }
            recording.add("a0", from: 0, count: 3, format: .audio) { $0.groupID = "aac" }
            recording.add("a0", from: 28, count: 3, format: .audio)
            try await viewer.record(recording)
            let path = "/live/cctv2/download.ts?begintime=1469509528&duration=16\(query)"
            #expect(try await viewer.send(.head, path).status == status)
        }
    }

    @Test(
        "The window is one transport stream with an exact length, a tag and a readable name",
        arguments: TransportKind.allCases)
    func whole(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            let recording = Recording()
            try await viewer.record(recording)
            let answer = try await viewer.get(path)
            #expect(answer.status == 200)
            #expect(answer.body == recording.segments.prefix(5).flatMap(\.plain))
            #expect(answer.headers["Content-Type"] == "video/mp2t")
            #expect(
                answer.headers["Content-Disposition"] == "attachment; filename=\"cctv2_20160726T050518Z.ts\"")
            #expect(answer.headers["ETag"]?.hasPrefix("\"") == true)
            #expect(answer.headers["Backcast-Held-Seconds"] == "18")
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            #expect(answer.headers["Content-Security-Policy"] == "sandbox")
        }
    }

    @Test("No browser takes a playlist for a page, whether it is composed, from memory or kept")
    func playlistsAreNoPages() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            for file in ["index.m3u8", "master.m3u8", "v0.m3u8"] {
                for query in ["", "?begintime=1469509518000&endtime=1469509536000"] {
                    for _ in 0..<3 {
                        let answer = try await viewer.get("/live/cctv2/\(file)\(query)")
                        #expect(answer.status == 200)
                        #expect(answer.headers["X-Content-Type-Options"] == "nosniff", "\(file)\(query)")
                    }
                }
            }
        }
    }

    @Test("The name has the channel's title, and the rendition where the request names it")
    func names() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.title = "Bücher/\"7\""
            try await viewer.record(recording)
            let names = [
                path: "cctv2_20160726T050518Z.ts\"; filename*=UTF-8''B%C3%BCcher--7-%2020160726T050518Z.ts",
                path + "&rendition=v0":
                    "cctv2_20160726T050518Z_v0.ts\"; filename*=UTF-8''B%C3%BCcher--7-%2020160726T050518Z%20v0.ts",
            ]
            for (path, name) in names {
                let answer = try await viewer.get(path)
                #expect(answer.headers["Content-Disposition"] == "attachment; filename=\"\(name)")
            }
        }
    }

    /// Segments have 671 bytes each.
    private static let offsets = [0, 1, 670, 671, 672, 1342, 3000]

    @Test("A download resumes at any byte, encrypted or not", arguments: TransportKind.allCases)
    func resume(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            var recording = Recording()
            for isEncrypted in [false, true] {
                if isEncrypted {
                    recording.channel = "cctv3"
                    try recording.encrypt(
                        key: [UInt8](repeating: 9, count: 16), name: "0123456789abcdef0123456789abcdef")
                }
                try await viewer.record(recording)
                let target = path.replacing("cctv2", with: recording.channel)
                let whole = recording.segments.prefix(5).flatMap(\.plain)
                let first = try await viewer.get(target)
                #expect(first.body == whole)
                let tag = try #require(first.headers["ETag"])
                for offset in Self.offsets {
                    let answer = try await viewer.get(
                        target, ["Range": "bytes=\(offset)-", "If-Range": tag])
                    #expect(answer.status == 206)
                    #expect(answer.body == Array(whole.dropFirst(offset)))
                    #expect(
                        answer.headers["Content-Range"] == "bytes \(offset)-\(whole.count - 1)/\(whole.count)"
                    )
                    let part = try await viewer.get(target, ["Range": "bytes=\(offset)-\(offset + 9)"])
                    #expect(part.body == Array(whole[offset..<(offset + 10)]))
                }
            }
        }
    }

    @Test("An open end is redirected to the URL with the current end", arguments: TransportKind.allCases)
    func openEnd(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/download.ts?begintime=1469509516&rendition=v0")
            #expect(answer.status == 302)
            #expect(
                answer.headers["Location"]
                    == "download.ts?begintime=1469509516000&endtime=1469509556000&rendition=v0")
            #expect(try await viewer.get("/live/cctv2/\(answer.headers["Location"] ?? "")").status == 200)
        }
    }

    @Test("An end ahead of the live edge is redirected to the current end, and that file stays the same")
    func endAhead() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let pinned = "begintime=1469509516000&endtime=1469509556000"
            let end = "begintime=1469509516&duration=44"
            for file in ["download.ts", "download.mp4"] {
                let answer = try await viewer.send(.head, "/live/cctv2/\(file)?\(end)")
                #expect(answer.status == 302)
                #expect(answer.headers["Location"] == "\(file)?\(pinned)")
            }
            let path = "/live/cctv2/download.ts?"
            let tag = try #require(try await viewer.send(.head, path + pinned).headers["ETag"])
            let more = Recording(seconds: 44)
            let id = try #require(ChannelID("cctv2"))
            try await viewer.store.put(more.segments[10].stored, as: more.segments[10].key(of: id))
            try await viewer.recordMore(more)
            viewer.clock.steadyLead += .seconds(5)
            let part = try await viewer.get(path + pinned, ["Range": "bytes=671-", "If-Range": tag])
            #expect(part.status == 206)
            #expect(part.body == more.segments[1..<10].flatMap(\.plain))
            #expect(try await viewer.get(path + end).body == more.segments.flatMap(\.plain))
        }
    }

    @Test("An open end that is cut at the longest window has Backcast-Next in the redirect")
    func openEndCut() async throws {
        try await ViewerFixture.with(maxWindowSeconds: 20) { viewer in
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/download.ts?begintime=1469509516")
            #expect(answer.status == 302)
            #expect(
                answer.headers["Location"] == "download.ts?begintime=1469509516000&endtime=1469509536000")
            #expect(answer.headers["Backcast-Next"] == "2016-07-26T05:05:36.000Z")
            let rest = try await viewer.get("/live/cctv2/download.ts?begintime=1469509536")
            #expect(rest.status == 302)
            #expect(rest.headers["Backcast-Next"] == nil)
        }
    }

    @Test(
        "Separate audio, other containers and separate tables are refused, with the reason and the MP4 file",
        arguments: [
            (SegmentExtension.fragmentedMP4, "not recorded as a transport stream"),
            (.transportStream, "initialization section"), (nil, "audio is a separate rendition"),
        ])
    func other(container: SegmentExtension?, reason: String) async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 0)
            recording.watermark = 40
            if let container {
                var format = SegmentFormat(container: container, tracks: "video:h264,audio:aac")
                format.initName = "init-0123456789abcdef.mp4"
                recording.add("v0", from: 0, count: 10, format: format)
            } else {
                recording.add("v0", from: 0, count: 10, format: .silent) { $0.audioGroup = "aac" }
                recording.add("a0", from: 0, count: 10, format: .audio) { $0.groupID = "aac" }
            }
            try await viewer.record(recording)
            let answer = try await viewer.get(path)
            #expect(answer.status == 404)
            let detail = try #require(answer.problem["detail"] as? String)
            #expect(detail.contains(reason))
            #expect(!detail.contains("download."))
            let instead = "download.mp4?begintime=1469509518000&endtime=1469509536000"
            #expect(answer.problem["instead"] as? String == instead)
            let named = try await viewer.get("/live/cctv2/archive-1469509518-18.ts?audio=a0&_=1")
            #expect(named.isProblem(404))
            #expect(named.problem["instead"] as? String == instead + "&audio=a0")
        }
    }

    @Test("The best video is sent, or the requested rendition")
    func rendition() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording()
            recording.renditions[0].bandwidth = 1_000_000
            recording.add("v1", from: 0, count: 10) { $0.bandwidth = 5_000_000 }
            try await viewer.record(recording)
            let best = recording.segments.filter { $0.rendition.index == 1 }.prefix(5).flatMap(\.plain)
            #expect(try await viewer.get(path).body == best)
            let named = try await viewer.get(path + "&rendition=v0")
            #expect(named.body == recording.segments.prefix(5).flatMap(\.plain))
        }
    }

    @Test(
        "A download needs a window that does not grow, and the wrong parameter is named",
        arguments: [
            ("", "begintime"), ("?dvr=60", "begintime"),
            ("?begintime=1469509516&duration=20&mode=event", "mode"),
        ])
    func window(query: String, name: String) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let answer = try await viewer.get("/live/cctv2/download.ts\(query)")
            #expect(answer.status == 400)
            #expect(answer.problem["parameter"] as? String == name)
        }
    }

    @Test(
        "A range after the end is a problem that gives the length of the window",
        arguments: TransportKind.allCases)
    func behindEnd(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            let answer = try await viewer.get(path, ["Range": "bytes=3355-"])
            #expect(answer.status == 416)
            #expect(answer.headers["Content-Range"] == "bytes */3355")
            #expect(answer.problem["status"] as? Int == 416)
            #expect(answer.headers["Content-Disposition"] == nil)
        }
    }

    @Test(
        "A download is cut when the archive lacks a segment of the catalogue",
        arguments: TransportKind.allCases)
    func broken(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            let recording = Recording()
            try await viewer.record(recording)
            let id = try #require(ChannelID("cctv2"))
            try await viewer.store.delete(recording.segments[2].key(of: id))
            await #expect(throws: (any Error).self) { try await viewer.get(path) }
        }
    }
}
