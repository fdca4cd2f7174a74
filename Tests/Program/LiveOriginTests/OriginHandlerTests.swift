import Foundation
import HTTP
import Synchronization
import Testing

@testable import LiveOrigin

@Suite("The origin's answers")
struct OriginHandlerTests {
    @Test("One muxed variant: the channel's list is the media playlist")
    func mediaAtTop() async throws {
        let bench = try OriginBench()
        #expect(await bench.get("/ch1/index.m3u8").status == .notFound)
        try bench.publish(1)
        let response = await bench.get("/ch1/index.m3u8")
        #expect(response.headers["Content-Type"] == "application/vnd.apple.mpegurl")
        #expect(response.headers["Cache-Control"] == "no-cache")
        #expect(await bench.text("/ch1/index.m3u8").hasSuffix("#EXTINF:4.000000,\nv0/0.ts\n"))
        #expect(await bench.text("/ch1/index.m3u8") == bench.text("/ch1/v0.m3u8"))
    }

    @Test("Several renditions: a multivariant playlist")
    func multivariant() async throws {
        let bench = try OriginBench(options(variants: 3))
        try bench.publish(1)
        #expect(await bench.text("/ch1/index.m3u8").contains("#EXT-X-STREAM-INF"))
        #expect(await bench.text("/ch1/v2.m3u8").hasSuffix("v2/0.ts\n"))
    }

    @Test("Served segments are those of the ledger, which has them before the playlist")
    func ledger() async throws {
        let bench = try OriginBench()
        try bench.publish(2)
        let entries = try bench.ledger()
        #expect(entries.map(\.uri) == ["/ch1/v0/0.ts", "/ch1/v0/1.ts"])
        #expect(entries.map(\.programDateTime) == ["1970-01-01T00:16:40.000Z", "1970-01-01T00:16:44.000Z"])
        #expect(entries.map(\.listedAt) == [1004, 1008])
        for entry in entries {
            guard case .bytes(let bytes) = await bench.get(entry.uri).body else {
                Issue.record("no bytes")
                return
            }
            #expect(bytes.count == entry.bytes)
            #expect(try Fingerprint.sha256(bytes) == entry.sha256)
        }
        #expect(Set(entries.map(\.sha256)).count == 2)
    }

    @Test("A ledger that cannot be written leaves the playlist unchanged")
    func ledgerFirst() async throws {
        let channel = Channel(name: "ch1", options: options(), ledger: try Ledger(path: "/dev/full"))
        #expect(throws: (any Error).self) { try channel.publish(source(), now: 0) }
        #expect(channel.state.withLock { $0.playlist(of: "v0") } == nil)
    }

    @Test("Failing requests answer the status for the requested number of times")
    func fail() async throws {
        let bench = try OriginBench()
        try bench.publish(1)
        #expect(await bench.get("/control?fault=fail&rendition=v0&count=2&status=503").status == .ok)
        #expect(await bench.get("/ch1/v0/0.ts").status == .serviceUnavailable)
        #expect(await bench.get("/ch1/v0/0.ts").status == .serviceUnavailable)
        #expect(await bench.get("/ch1/v0/0.ts").status == .ok)
    }

    @Test("A silent truncation halves the body, an announced one cuts the connection")
    func truncate() async throws {
        let bench = try OriginBench()
        try bench.publish(1)
        _ = await bench.get("/control?fault=truncate&silent=true")
        guard case .bytes(let half) = await bench.get("/ch1/v0/0.ts").body else {
            Issue.record("no bytes")
            return
        }
        #expect(half.count == 188)
        _ = await bench.get("/control?fault=truncate")
        guard case .stream(let length, let source) = await bench.get("/ch1/v0/0.ts").body else {
            Issue.record("no stream")
            return
        }
        #expect(length == 376)
        #expect(try await source.next(limit: 1000)?.count == 188)
        await #expect(throws: SlowBody.Cut.self) { try await source.next(limit: 1000) }
    }

    @Test("A channel that is down answers 503 until its time is over; a web page in its place does too")
    func downAndHTML() async throws {
        let bench = try OriginBench()
        try bench.publish(1)
        _ = await bench.get("/control?fault=down&seconds=5&channel=ch1")
        #expect(await bench.get("/ch1/v0/0.ts").status == .serviceUnavailable)
        bench.now += 5
        #expect(await bench.get("/ch1/v0/0.ts").status == .ok)
        _ = await bench.get("/control?fault=html&seconds=5")
        let page = await bench.get("/ch1/index.m3u8")
        #expect(page.status == .ok && page.headers["Content-Type"]?.hasPrefix("text/html") == true)
        bench.now += 5
        #expect(await bench.text("/ch1/index.m3u8").hasPrefix("#EXTM3U"))
    }

    @Test("Unavailable keys answer 503 until their time is over, and none is removed meanwhile")
    func keys() async throws {
        var options = options()
        options.encryption = .aes128
        options.rotation = 1
        let bench = try OriginBench(options)
        _ = await bench.get("/control?fault=keys&seconds=5")
        try bench.publish(1)
        #expect(await bench.get("/ch1/key/0").status == .serviceUnavailable)
        #expect(await bench.get("/ch1/v0/0.ts").status == .ok)
        bench.now += 5
        try bench.publish(60)
        #expect(await bench.get("/ch1/v0/0.ts").status == .notFound)
        #expect(await bench.get("/ch1/key/0").status == .ok)
    }

    @Test("A slow body is a stream of known length")
    func slow() async throws {
        let bench = try OriginBench()
        try bench.publish(1)
        _ = await bench.get("/control?fault=slow&rate=3760&seconds=5")
        guard case .stream(let length, let source) = await bench.get("/ch1/v0/0.ts").body else {
            Issue.record("no stream")
            return
        }
        #expect(length == 376)
        #expect(try await source.next(limit: 10_000)?.count == 376)
        #expect(try await source.next(limit: 10_000) == nil)
    }

    @Test("Keys and encrypted segments: another digest than in the clear, whole blocks")
    func encryption() async throws {
        var encrypted = options()
        encrypted.encryption = .aes128
        let bench = try OriginBench(encrypted)
        try bench.publish(1)
        let entry = try #require(try bench.ledger().first)
        #expect(entry.encrypted && entry.sha256 != entry.clearSha256)
        #expect(entry.bytes == 384)
        guard case .bytes(let key) = await bench.get("/ch1/key/0").body else {
            Issue.record("no key")
            return
        }
        #expect(key.count == 16)
    }

    @Test(
        "Bad requests and unknown paths",
        arguments: [
            ("/", 200), ("/control", 400), ("/control?fault=clear&channel=other", 400),
            ("/other/index.m3u8", 404),
            ("/ch1", 404), ("/ch1/x.m3u8", 404), ("/ch1/v0/99.ts", 404), ("/ch1/key/9", 404),
            ("/ch1/key/x", 404),
            ("/ledger.jsonl", 200), ("/static/webpage.html", 200), ("/static/iptv.m3u", 200),
            ("/static/empty", 200),
            ("/static/other", 404), ("/ch1/v0/0.ts/x", 404), ("//", 404),
        ])
    func statuses(path: String, status: Int) async throws {
        let bench = try OriginBench()
        #expect(await bench.get(path).status.rawValue == status)
    }
}
