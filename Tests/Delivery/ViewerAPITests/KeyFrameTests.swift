import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import Postgres
@testable import ViewerAPI

@Suite("I-frame playlists of viewers", .serialized)
struct KeyFrameTests {
    private static let keyFrames = KeyFrames(
        tableByteCount: 376, frames: [KeyFrame(offset: 376, byteCount: 500, milliseconds: 0)])
    private static let query = "begintime=1469509516000&endtime=1469509536000"

    private func recording(_ channel: String = "cctv2") -> Recording {
        var recording = Recording(channel)
        recording.playlistForm = .multivariant
        for index in recording.segments.indices { recording.segments[index].keyFrames = Self.keyFrames }
        return recording
    }

    @Test(
        "The playlist lists each key frame, with the headers of the window", arguments: TransportKind.allCases
    )
    func listed(transport: TransportKind) async throws {
        try await ViewerFixture.with(over: transport) { viewer in
            try await viewer.record(recording())
            let answer = try await viewer.get("/live/cctv2/v0-iframes.m3u8?\(Self.query)")
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"] == "application/vnd.apple.mpegurl")
            #expect(answer.headers["Backcast-Held-Seconds"] == "20")
            #expect(answer.text.contains("#EXT-X-I-FRAMES-ONLY\n"))
            #expect(
                answer.text.contains("#EXTINF:4.000000,\n#EXT-X-BYTERANGE:500@376\nv0/1469509516000.ts\n"))
            #expect(answer.uris == (0..<5).map { "v0/\(1_469_509_516_000 + $0 * 4000).ts" })
            let tag = try #require(answer.headers["ETag"])
            let again = try await viewer.get(
                "/live/cctv2/v0-iframes.m3u8?\(Self.query)", ["If-None-Match": tag])
            #expect(again.status == 304)
            for query in ["", "?dvr=30", "?begintime=1469509516&mode=event&duration=20"] {
                let growing = try await viewer.get("/live/cctv2/v0-iframes.m3u8\(query)")
                #expect(growing.status == 200 && growing.text.contains("#EXT-X-I-FRAMES-ONLY\n"), "\(query)")
            }
        }
    }

    @Test("The multivariant playlist names it with its measured rate, from memory as well")
    func named() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(recording())
            let path = "/live/cctv2/master.m3u8?\(Self.query)"
            let expected =
                "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1000,CODECS=\"avc1.64001f\","
                + "URI=\"v0-iframes.m3u8?\(Self.query)\"\n"
            let first = try await viewer.get(path)
            #expect(first.text.hasSuffix(expected), "\(first.text)")
            viewer.clock.now = viewer.clock.now + 5_000_000
            #expect(try await viewer.answersWithoutBlocking(path, after: path))
            #expect(try await viewer.get(path).text == first.text)
            let live = try await viewer.get("/live/cctv2/master.m3u8")
            #expect(live.text.contains("URI=\"v0-iframes.m3u8\"\n"))
        }
    }

    @Test("Without key frames, under AES-128 and for audio there is none, and none is named")
    func none() async throws {
        try await ViewerFixture.with { viewer in
            var plain = Recording("plain")
            plain.playlistForm = .multivariant
            try await viewer.record(plain)
            var encrypted = recording("encrypted")
            try encrypted.encrypt(key: Array(0..<16), name: String(repeating: "0a", count: 16))
            try await viewer.record(encrypted)
            // Key frames of the same quarter can be read, but not those in the window.
            var partly = recording("partly")
            (partly.segments[..<5], partly.keys) = (encrypted.segments[..<5], encrypted.keys)
            try await viewer.record(partly)
            for channel in ["plain", "encrypted", "partly"] {
                let answer = try await viewer.get("/live/\(channel)/v0-iframes.m3u8?\(Self.query)")
                #expect(answer.status == 404)
                #expect(answer.problem["parameter"] as? String == "rendition")
                let master = try await viewer.get("/live/\(channel)/master.m3u8?\(Self.query)")
                #expect(master.status == 200 && !master.text.contains("I-FRAME"))
            }
            for path in ["a0-iframes.m3u8", "v7-iframes.m3u8", "x-iframes.m3u8", "-iframes.m3u8"] {
                let answer = try await viewer.get("/live/plain/\(path)?\(Self.query)")
                #expect(answer.status == 404, "\(path)")
                #expect(answer.headers["Content-Type"] == "application/problem+json", "\(path)")
            }
        }
    }

    @Test("Key frames that cannot be read are a failure, not a playlist without them")
    func unreadable() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(recording())
            _ = try await viewer.catalogue.pool.query("ALTER TABLE packed_key_frames RENAME TO gone")
            #expect(try await viewer.get("/live/cctv2/v0.m3u8?\(Self.query)").status == 200)
            #expect(try await viewer.get("/live/cctv2/master.m3u8?\(Self.query)").isProblem(500))
            _ = try await viewer.catalogue.pool.query("ALTER TABLE gone RENAME TO packed_key_frames")
            let again = try await viewer.get("/live/cctv2/master.m3u8?\(Self.query)")
            #expect(again.status == 200 && again.text.contains("I-FRAME"))
        }
    }

    @Test("Without the rates of its key frames a multivariant playlist is neither final nor cached for long")
    func away() async throws {
        let server = try await PostgresCluster()
        try await ViewerFixture.with(server: server) { viewer in
            try await viewer.record(recording())
            let master = "/live/cctv2/master.m3u8?\(Self.query)"
            let media = try await viewer.get("/live/cctv2/v0.m3u8?\(Self.query)")
            #expect(media.headers["Backcast-Final"] == "true")
            try await server.stop()
            let without = try await viewer.get(master)
            #expect(without.status == 200 && !without.text.contains("I-FRAME"))
            #expect(without.headers["Backcast-Final"] == "false")
            #expect(without.headers["Cache-Control"] == "public, max-age=0, s-maxage=2")
            #expect(without.headers["Backcast-Held-Seconds"] == "20")
            try await server.start()
            try await eventually("the rates") { try await viewer.get(master).text.contains("I-FRAME") }
            let whole = try await viewer.get(master)
            #expect(whole.headers["Backcast-Final"] == "true")
            #expect(whole.headers["Cache-Control"] == "public, max-age=3600")
        }
    }

    @Test("It takes the parameters of a media playlist, and refuses what that refuses")
    func parameters() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(recording())
            for query in ["begintime=x", "dvr=0", "begintime=1469509516&duration=-1", "gaps=1"] {
                let own = try await viewer.get("/live/cctv2/v0-iframes.m3u8?\(query)")
                let media = try await viewer.get("/live/cctv2/v0.m3u8?\(query)")
                #expect(own.status == 400 && own.text == media.text, "\(query)")
            }
            let late = try await viewer.get("/live/cctv2/v0-iframes.m3u8?begintime=1469519516&duration=9")
            #expect(late.status == 404 && late.problem["available"] != nil)
        }
    }
}
