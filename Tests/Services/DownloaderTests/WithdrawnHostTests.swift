import HLS
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Live recordings whose host is withdrawn", .timeLimit(.minutes(30)))
struct WithdrawnHostTests {
    private func list(_ numbers: Range<Int>, _ origin: FaultyOrigin) {
        let paths = origin.segments()
        let head = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)"]
        let end = numbers.upperBound == paths.count ? ["#EXT-X-ENDLIST", ""] : [""]
        let lines = head + numbers.flatMap { ["#EXTINF:1,", paths[$0]] } + end
        origin.serve("/vod/live.m3u8", lines.joined(separator: "\n"))
    }

    /// Records three segments of a host that is then stopped; `body` waits until it may be.
    ///
    /// The multivariant playlist names another host when it is asked for the second time after that, which
    /// lists segments from `first` on.
    private func record(
        from first: Int, stoppingAfter body: (FaultyOrigin, Downloading) async throws -> Void,
        then expect: (DownloadTask, Downloading, FaultyOrigin) throws -> Void
    ) async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            list(first..<6, origin)
            let named = Mutex("")
            let asked = Mutex<Int?>(nil)
            origin.serve("/vod/master.m3u8") { _ in
                let count = asked.withLock { count in
                    count = count.map { $0 + 1 }
                    return count ?? 0
                }
                let url = count < 2 ? named.withLock(\.self) : "live.m3u8"
                return "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\n\(url)\n"
            }
            var downloading = try Downloading()
            downloading.options.networkTimeout = .seconds(120)
            let (manager, request) = (downloading, origin.request("/vod/master.m3u8"))
            var running: Task<DownloadTask, any Error>?
            try await FaultyOrigin.run(serving: .transportStream) { host in
                list(0..<3, host)
                named.withLock { $0 = host.url("/vod/live.m3u8") }
                host.fail("/vod/index2.ts", first > 2 ? [.held(after: 1000)] : [])
                running = Task { try await manager.run(request) }
                try await body(host, downloading)
            }
            asked.withLock { $0 = 0 }
            try expect(try #require(try await running?.value), downloading, origin)
        }
    }

    @Test("The multivariant playlist is asked for another host until it names one")
    func otherHost() async throws {
        try await record(from: 1) { _, downloading in
            try await downloading.reached((1...3).map { "v0/0000\($0).ts" })
        } then: { task, downloading, origin in
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 6 && task.notes == nil)
            try downloading.expectSegments(of: origin)
        }
    }

    @Test("What the host had not sent, and the other one does not list, is a gap")
    func lost() async throws {
        try await record(from: 3) { host, downloading in
            try await downloading.reached(["v0/00001.ts", "v0/00002.ts"])
            try await eventually("the held segment") { !host.requests(for: "/vod/index2.ts").isEmpty }
        } then: { task, downloading, origin in
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.notes == ["1 s of it are missing at the source"])
            let text = String(decoding: try downloading.bytes("task", "index.m3u8"), as: UTF8.self)
            #expect(try readMedia(text).segments.map(\.isGap) == [false, false, true, false, false, false])
        }
    }

    @Test("A host that does not come back fails the task after the time for that")
    func noHost() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            var downloading = try Downloading()
            downloading.options.networkTimeout = .seconds(2)
            let (manager, request) = (downloading, origin.request("/vod/master.m3u8"))
            var running: Task<DownloadTask, any Error>?
            try await FaultyOrigin.run(serving: .transportStream) { host in
                list(0..<3, host)
                let url = host.url("/vod/live.m3u8")
                origin.serve("/vod/master.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\n\(url)\n")
                running = Task { try await manager.run(request) }
                try await downloading.reached(["v0/00003.ts"])
            }
            let task = try #require(try await running?.value)
            #expect(task.state == .failed && task.error?.title == "No network")
            #expect(task.error?.detail == "the playlist: no connection for 2 s")
        }
    }
}
