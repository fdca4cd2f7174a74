import HTTP
import HTTPSupport
import SegmentStore
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct ObjectTests {
    private let path = "/live/cctv2/v0/1469509516000.ts"

    @Test("A segment is answered at once, and may be cached for ever", arguments: TransportKind.allCases)
    func segment(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            let recording = Recording()
            try await viewer.record(recording)
            let answer = try await viewer.get(path)
            #expect(try await viewer.answersWithoutBlocking(path, after: path))
            #expect(answer.status == 200)
            #expect(answer.body == recording.segments[0].stored)
            #expect(answer.headers["Content-Type"] == "video/mp2t")
            #expect(answer.headers["ETag"] == "\"1469509516000.ts\"")
            #expect(answer.headers["Cache-Control"] == "public, max-age=31536000, immutable")
            #expect(answer.headers["Cache-Tag"] == "ch-cctv2, ch-cctv2-2016-07-26")
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            #expect(answer.headers["Content-Security-Policy"] == "sandbox")
            #expect(answer.headers["Accept-Ranges"] == "bytes")
            #expect(answer.headers["Access-Control-Expose-Headers"]?.contains("Content-Range") == true)
            let tag: HTTPHeaders = ["If-None-Match": "\"1469509516000.ts\""]
            #expect(try await viewer.get(path, tag).status == 304)
        }
    }

    @Test(
        "A range gives its part",
        arguments: TransportKind.allCases,
        [
            ("bytes=0-", 0, 670), ("bytes=10-19", 10, 19), ("bytes=600-2000", 600, 670),
            ("bytes=-17", 654, 670),
        ])
    func ranges(transport: TransportKind, part: (value: String, first: Int, last: Int)) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            let recording = Recording()
            try await viewer.record(recording)
            let answer = try await viewer.get(path, ["Range": part.value])
            #expect(answer.status == 206)
            #expect(answer.body == Array(recording.segments[0].stored[part.first...part.last]))
            #expect(answer.headers["Content-Range"] == "bytes \(part.first)-\(part.last)/671")
        }
    }

    @Test(
        "A range after the end is 416, and If-Range of another version gives the whole resource",
        arguments: TransportKind.allCases)
    func otherRanges(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            let behind = try await viewer.get(path, ["Range": "bytes=671-"])
            #expect(behind.status == 416)
            #expect(behind.headers["Content-Range"] == "bytes */671")
            #expect(behind.problem["status"] as? Int == 416)
            #expect(behind.headers["ETag"] == nil)
            let changed = try await viewer.get(path, ["If-Match": "\"other\""])
            #expect(changed.status == 412)
            #expect(changed.problem["status"] as? Int == 412)
            let other = try await viewer.get(path, ["Range": "bytes=1-2", "If-Range": "\"other\""])
            #expect(other.status == 200)
            let same = try await viewer.get(
                path, ["Range": "bytes=1-2", "If-Range": "\"1469509516000.ts\""])
            #expect(same.status == 206)
            #expect(try await viewer.send(.head, path, ["Range": "bytes=1-2"]).status == 200)
        }
    }

    @Test("A store that has to wait gives the same answer later", arguments: TransportKind.allCases)
    func remote(transport: TransportKind) async throws {
        try await ViewerFixture.with(
            over: transport, store: MemorySegmentStore(answersWithoutBlocking: false)
        ) {
            viewer in
            let recording = Recording()
            try await viewer.record(recording)
            let bytes = recording.segments[0].stored
            let whole = try await viewer.get(path)
            #expect(!viewer.answersWithoutBlocking(path))
            #expect(whole.status == 200)
            #expect(whole.body == bytes)
            #expect(whole.headers["ETag"] == "\"1469509516000.ts\"")
            let part = try await viewer.get(path, ["Range": "bytes=10-19"])
            #expect(part.status == 206)
            #expect(part.body == Array(bytes[10...19]))
            #expect(part.headers["Content-Range"] == "bytes 10-19/671")
            #expect(try await viewer.get(path, ["Range": "bytes=671-"]).status == 416)
            #expect(try await viewer.get("/live/cctv2/v0/1469509517000.ts").status == 404)
        }
    }

    @Test("That a segment of the past is gone may be cached for seconds, that one may still come may not")
    func gone() async throws {
        try await ViewerFixture.with { viewer in
            let missing = "/live/cctv2/v0/1469509517000.ts"
            viewer.clock.now = Instant(milliseconds: 1_469_509_816_000)
            let early = try await viewer.get(missing)
            #expect(early.headers["Cache-Control"] == "no-store")
            viewer.clock.now = Instant(milliseconds: 1_469_510_216_000)
            let late = try await viewer.get(missing)
            #expect(late.headers["Cache-Control"] == "public, max-age=5")
        }
    }

    private static let readable = [
        "/live/cctv2/v0/1469509516000.ts", "/live/cctv2/index.m3u8?begintime=1469509516&duration=20",
        "/live/cctv2/download.ts?begintime=1469509516&duration=20", "/live/cctv2/index.m3u8?begintime=x",
    ]

    @Test(
        "HEAD has the status and the fields of GET, and no body", arguments: TransportKind.allCases, readable)
    func head(transport: TransportKind, target: String) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(Recording())
            var (get, head) = (try await viewer.get(target), try await viewer.send(.head, target))
            #expect(head.status == get.status)
            #expect(head.body.isEmpty && !get.body.isEmpty)
            #expect(head.headers["Content-Length"] == String(get.body.count))
            for name in ["Date"] { (get.headers[name], head.headers[name]) = (nil, nil) }
            #expect(head.headers == get.headers)
        }
    }

    @Test(
        "Initialization sections and keys have their types",
        arguments: [("mp4", "video/mp4"), ("ts", "video/mp2t"), ("vtt", "text/vtt; charset=utf-8")])
    func others(ending: String, type: String) async throws {
        try await ViewerFixture.with { viewer in
            let id = try #require(ChannelID("cctv2"))
            let rendition = try #require(RenditionID("v0"))
            let name = "init-0123456789abcdef.\(ending)"
            let key = "0123456789abcdef0123456789abcdef"
            try await viewer.store.put([1, 2, 3], as: .initialization(id, rendition, name))
            try await viewer.store.put([UInt8](repeating: 7, count: 16), as: .key(id, key))
            let section = try await viewer.get("/live/cctv2/v0/\(name)")
            #expect(section.headers["Content-Type"] == type)
            #expect(section.body == [1, 2, 3])
            let answer = try await viewer.get("/live/cctv2/keys/\(key)")
            #expect(answer.headers["Content-Type"] == "application/octet-stream")
            #expect(answer.body.count == 16)
            #expect(answer.headers["ETag"] == "\"\(key)\"")
            #expect(answer.headers["Cache-Control"] == "private, no-cache")
            #expect(answer.headers["Cache-Tag"] == "ch-cctv2")
        }
    }
}
