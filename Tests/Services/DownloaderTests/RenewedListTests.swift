import HLS
import HTTP
import HTTPClient
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import Downloader

@Suite("Playlists that are read again for new tokens", .timeLimit(.minutes(30)))
struct RenewedListTests {
    private static let kinds: [SampleStreams.Kind] = [.transportStream, .fragmentedMP4, .encrypted]

    /// Serves `/vod/index.m3u8` with a token in each URI that is the count of requests for it.
    ///
    /// The third one is right for all but playlists. Before, it lists so many segments, and has not ended.
    private func renew(_ origin: FaultyOrigin, listed: Int = .max) throws {
        let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
        let parts = text.replacing("#EXT-X-ENDLIST\n", with: "").split(separator: "#EXTINF")
        let begin = parts[...min(listed, parts.count - 1)].joined(separator: "#EXTINF")
        origin.require(token: "t=3")
        origin.serve("/vod/index.m3u8") { count in
            [".ts", ".m4s", ".mp4", ".key"].reduce(count < 3 && listed < .max ? begin : text) {
                $0.replacing($1, with: "\($1)?t=\(count)")
            }
        }
    }

    private func expectWhole(_ downloading: Downloading, _ origin: FaultyOrigin) throws {
        let playlist = try downloading.expectSegments(of: origin)
        for key in Set(playlist.segments.flatMap(\.keys).compactMap(\.uri)) {
            #expect(try downloading.bytes("task", key) == origin.bytes("/vod/secret.key"))
        }
    }

    @Test("Segments that are listed only then, as the list ends, are taken", arguments: kinds)
    func more(kind: SampleStreams.Kind) async throws {
        try await FaultyOrigin.run(serving: kind) { origin in
            try renew(origin, listed: 4)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsDone == 6 && task.segmentsTotal == 6)
            #expect(origin.requests(for: "/vod/index.m3u8").count == 3)
            try expectWhole(downloading, origin)
        }
    }

    @Test("A key is asked for as the latest list names it")
    func key() async throws {
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            try renew(origin)
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request())
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(
                origin.requests(for: "/vod/secret.key").map(\.query) == ["t=2", "t=2", "t=2", "t=3"])
            try expectWhole(downloading, origin)
        }
    }

    /// Serves a live presentation of six segments; its variants have paths of their own for each reader of
    /// `/vod/master.m3u8`.
    private func serveSessions(_ origin: FaultyOrigin) throws {
        let paths = origin.segments()
        let names = paths.map { $0.dropFirst("/vod/".count) }
        let loads = Mutex(0)
        for session in 1...20 {
            for (path, name) in zip(paths, names) {
                origin.serve("/vod/s\(session)/\(name)", try #require(origin.bytes(path)))
            }
            origin.serve("/vod/s\(session)/live.m3u8") { _ in
                let last = loads.withLock { loads in
                    loads += 1
                    return min(loads + 2, names.count)
                }
                let first = last - 3
                let listed = names[first..<last].flatMap { ["#EXTINF:1,", String($0)] }
                let head = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(first)"]
                let end = [last == names.count ? "#EXT-X-ENDLIST" : "", ""]
                return (head + listed + end).joined(separator: "\n")
            }
        }
    }

    private static func master(_ session: Int) -> String {
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\ns\(session)/live.m3u8\n"
    }

    @Test("A live recording keeps the playlist that it was given, and takes no segment twice")
    func session() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            try serveSessions(origin)
            origin.serve("/vod/master.m3u8") { Self.master($0) }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 6)
            #expect(origin.requests(for: "/vod/master.m3u8").count == 1)
            try downloading.expectSegments(of: origin)
        }
    }

    @Test("A live recording goes on where its multivariant playlist is refused after the start")
    func refusedMaster() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            try serveSessions(origin)
            origin.serve("/vod/master.m3u8", Self.master(1))
            origin.fail(
                "/vod/master.m3u8", [.garbled(after: .max)] + Array(repeating: .status(403), count: 100))
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            try downloading.expectSegments(of: origin)
        }
    }

    @Test("A live recording takes a newer token for refused segments from the multivariant playlist")
    func newerToken() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let whole = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let token = Mutex(0)
            origin.require(token: "t=2")
            origin.serve("/vod/master.m3u8") { count in
                // A reading that is given up, as nothing is left to fetch, may ask for it once more.
                let number = min(count, 2)
                token.withLock { $0 = number }
                return "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlive.m3u8?t=\(number)\n"
            }
            origin.serve("/vod/live.m3u8") { count in
                let text = whole.replacing(".ts", with: ".ts?t=\(token.withLock(\.self))")
                return count < 3 ? text.replacing("#EXT-X-ENDLIST", with: "") : text
            }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 6)
            #expect((2...3).contains(origin.requests(for: "/vod/master.m3u8").count))
        }
    }

    @Test("Refused segments get a newer token also if the media playlist was read again in between")
    func newerTokenAfterReading() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let whole = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let token = Mutex(1)
            let readings = Mutex(0)
            origin.require(token: "t=2")
            origin.serve("/vod/master.m3u8") { count in
                token.withLock { $0 = min(count, 2) }
                return "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlive.m3u8\n"
            }
            origin.serve("/vod/live.m3u8") { count in
                readings.withLock { $0 = count }
                let present = token.withLock(\.self)
                let text = whole.replacing(".ts", with: ".ts?t=\(present)")
                return present == 2 ? text : text.replacing("#EXT-X-ENDLIST", with: "")
            }
            for path in origin.segments() {
                // Each refusal comes after another reading of the media playlist.
                origin.delay(path) {
                    let seen = readings.withLock(\.self)
                    try? await eventually("another reading") {
                        readings.withLock(\.self) > seen || token.withLock(\.self) == 2
                    }
                }
            }
            let task = try await Downloading().run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 6)
        }
    }

    @Test("A live recording follows the multivariant playlist to another path once its own list has stalled")
    func stalled() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let paths = origin.segments()
            func list(_ paths: some Sequence<String>, from number: Int) -> String {
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(number)\n"
                    + paths.map { "#EXTINF:1,\n\($0)\n" }.joined()
            }
            origin.serve("/vod/s1/live.m3u8", list(paths.prefix(3), from: 0))
            origin.serve("/vod/s2/live.m3u8", list(paths.suffix(3), from: 3) + "#EXT-X-ENDLIST\n")
            origin.serve("/vod/master.m3u8") { Self.master(min($0, 2)) }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 6)
        }
    }

    @Test("A live recording whose playlist is refused takes the address that is named now")
    func refusedList() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let whole = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            let absolute = whole.replacing("index", with: "/vod/index")
            origin.serve("/vod/s1/live.m3u8", absolute.replacing("#EXT-X-ENDLIST", with: ""))
            origin.fail(
                "/vod/s1/live.m3u8", [.garbled(after: .max)] + Array(repeating: .status(403), count: 100))
            origin.serve("/vod/s2/live.m3u8", absolute)
            origin.serve("/vod/master.m3u8") { Self.master(min($0, 2)) }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            // A reading that is given up, as nothing is left to fetch, may have asked for it once more.
            #expect((2...3).contains(origin.requests(for: "/vod/master.m3u8").count))
            try downloading.expectSegments(of: origin)
        }
    }

    /// Serves `/vod/{session}/live.m3u8` with its segments below the same path: some of the six.
    private func serveSession(
        _ session: String, _ numbers: Range<Int>, isEnded: Bool = false, _ origin: FaultyOrigin
    ) throws {
        let paths = origin.segments()
        for path in paths {
            let name = path.dropFirst("/vod/".count)
            origin.serve("/vod/\(session)/\(name)", try #require(origin.bytes(path)))
        }
        let listed = numbers.flatMap { ["#EXTINF:1,", String(paths[$0].dropFirst("/vod/".count))] }
        let head = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)"]
        let lines = head + listed + (isEnded ? ["#EXT-X-ENDLIST", ""] : [""])
        origin.serve("/vod/\(session)/live.m3u8", lines.joined(separator: "\n"))
    }

    @Test("A live recording whose playlist is refused takes no segment of its next session twice")
    func refusedSession() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            try serveSession("s1", 0..<4, origin)
            try serveSession("s2", 1..<6, isEnded: true, origin)
            origin.fail(
                "/vod/s1/live.m3u8", [.garbled(after: .max)] + Array(repeating: .status(403), count: 100))
            origin.serve("/vod/master.m3u8") { Self.master(min($0, 2)) }
            let downloading = try Downloading()
            let task = try await downloading.run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 6 && task.notes == nil)
            try downloading.expectSegments(of: origin)
        }
    }

    @Test("A live recording that goes on in another session has each segment once")
    func continuedSession() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            try serveSession("s1", 0..<4, origin)
            origin.serve("/vod/master.m3u8") { Self.master(min($0, 2)) }
            origin.fail("/vod/s1/index3.ts", Array(repeating: .status(500), count: Limits.attempts))
            var downloading = try Downloading()
            downloading.options.parallel = 1
            #expect(try await downloading.run(origin.request("/vod/master.m3u8")).state == .failed)
            try serveSession("s2", 1..<6, isEnded: true, origin)
            let task = try await downloading.run(origin.request("/vod/master.m3u8"))
            #expect(task.state == .completed, "\(task.error?.detail ?? "")")
            #expect(task.segmentsTotal == 6 && task.notes == nil)
            try downloading.expectSegments(of: origin)
            #expect((1..<3).allSatisfy { origin.requests(for: "/vod/s2/index\($0).ts").isEmpty })
        }
    }

    @Test("The list is read again for the address that was refused, which may be newer than the first one")
    func refusedReading() async throws {
        try await FaultyOrigin.run { origin in
            let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
            let tools = DownloadTools(
                options: DownloadOptions(), client: client, clock: Downloading.hasty)
            let session = try tools.session(for: origin.request())
            let retries = Retries(
                clock: tools.clock, networkTimeout: .seconds(300),
                network: NetworkWatch(lost: {}, returned: {}, received: { _ in }))
            let folder = try TemporaryFolder("reading")
            let fetcher = PartFetcher(
                session: session, folder: tools.folder(folder.path), transfers: tools.transfers,
                gate: tools.gate, rateLimiter: tools.rateLimiter, retries: retries)
            let renewed = Mutex<[Int]>([])
            // Each try finds a list that was read once more.
            let (part, key) = (try HTTPURL(origin.url("/none.ts")), origin.url("/none.key"))
            let order = PartJob(
                file: "none.ts", kind: .segment(nil), byteLimit: 1000,
                address: {
                    PartAddress(url: part, range: nil, readingNumber: origin.requests(for: "/none.ts").count)
                },
                renew: { readingNumber in renewed.withLock { $0.append(readingNumber) } })
            await #expect(throws: DownloadError.self) { try await fetcher.fetch(order) }
            let reader = SourceReader(session: session, retries: retries)
            await #expect(throws: DownloadError.self) {
                try await reader.key(
                    key, currentURI: { (key, origin.requests(for: "/none.key").count) },
                    renew: { readingNumber in renewed.withLock { $0.append(readingNumber) } })
            }
            session.close()
            await client.close()
            // The third request was the one that was refused for the last time.
            #expect(renewed.withLock { $0 } == [2, 2])
        }
    }
}
