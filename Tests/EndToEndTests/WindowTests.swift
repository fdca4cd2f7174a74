import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("A window of one playlist", .limitedStacks)
struct WindowTests {
    @Test(
        "holds each published segment once, in order, byte for byte, and is served as HTTP asks",
        .timeLimit(.minutes(30)))
    func window() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1"]) { stack in
            try await stack.addChannel()
            let entries = try await stack.published(9)
            let chosen = Array(entries[1...7])
            try await stack.settled(chosen[6].end)
            let path = stack.window(chosen[0].middle, chosen[6].middle)
            let list = try await stack.service.playlist(path)
            #expect(list.isEnded)
            #expect(list.tag("EXT-X-PLAYLIST-TYPE") == "VOD")
            #expect(list.discontinuities == 0)
            #expect(list.segments.first?.date == chosen[0].start)
            #expect(try await stack.digests(of: list) == chosen.map(\.sha256))
            #expect(try await stack.playing(path) == "")
            try await checkSegment("/live/ch1/" + (list.uris.first ?? ""), stack)
            try await checkDownload(
                list, stack.window(chosen[0].middle, chosen[6].middle, name: "download.ts"), stack)
        }
    }

    /// RFC 9110 §9.3.2, §13.1.2 and §14.
    private func checkSegment(_ path: String, _ stack: Stack) async throws {
        let client = await stack.service
        let whole = try await client.get(path)
        let length = whole.body.count
        #expect(whole.headers["Access-Control-Allow-Origin"] == "*")
        #expect(whole.headers["Cache-Control"]?.contains("immutable") == true)
        let head = try await client.send(.head, path)
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.headers["Content-Length"] == "\(length)")
        let part = try await client.get(path, ["Range": "bytes=188-375"])
        #expect(part.status == 206 && part.body == Array(whole.body[188..<376]))
        #expect(part.headers["Content-Range"] == "bytes 188-375/\(length)")
        let beyond = try await client.get(path, ["Range": "bytes=\(length)-"])
        #expect(beyond.status == 416)
        let tag = try #require(whole.headers["ETag"])
        let known = try await client.get(path, ["If-None-Match": tag])
        #expect(known.status == 304 && known.body.isEmpty)
        let origin: HTTPHeaders = ["Origin": "http://player.example", "Access-Control-Request-Method": "GET"]
        let preflight = try await client.send(.options, path, origin)
        #expect((200...204).contains(preflight.status))
        #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("GET") == true)
    }

    /// The file is what the list names, end to end, and a broken transfer goes on where it stopped.
    private func checkDownload(_ list: ReceivedPlaylist, _ path: String, _ stack: Stack) async throws {
        let client = await stack.service
        var expected: [UInt8] = []
        for uri in list.uris { expected += try await client.get("/live/ch1/\(uri)").body }
        let whole = try await client.get(path)
        #expect(whole.status == 200 && whole.body == expected)
        #expect(whole.headers["Content-Length"] == "\(expected.count)")
        let place = expected.count / 2 + 1
        let tag = try #require(whole.headers["ETag"])
        let rest = try await client.get(path, ["Range": "bytes=\(place)-", "If-Range": tag])
        #expect(rest.status == 206 && rest.body == Array(expected[place...]))
    }
}
