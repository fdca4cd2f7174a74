import HTTP
import HTTPServer
import HTTPSupport
import Testing

@Suite("Answers that are given again and again")
struct PreparedResponseSlotTests {
    @Test(
        "A prepared response is the same each time, on every connection",
        arguments: [0, 100, 5_000, 60_000, 70_000])
    func same(count: Int) async throws {
        let pieces = stride(from: 0, to: count, by: 1_000).map {
            SharedBytes(pattern(min(1_000, count - $0), from: $0))
        }
        var answer = HTTPResponse(status: .ok, headers: ["ETag": "\"a\""], body: .pieces(pieces))
        answer.kept = PreparedResponseSlot()
        try await withServer(respond: { [answer] _ in .now(answer) }) { server in
            for _ in 0..<2 {
                let client = try RawConnection(port: server.port)
                for _ in 0..<3 {
                    client.get("/")
                    let seen = try await client.response()
                    #expect(seen.status == 200)
                    #expect(seen.body == pattern(count))
                    #expect(seen.headers["ETag"] == "\"a\"")
                }
            }
            try await becomesIdle(server)
        }
    }

    @Test("A prepared file is sent as it is", arguments: [100, 4_096, 4_097, 300_000])
    func file(count: Int) async throws {
        let file = TestFile(pattern(count))
        var answer = HTTPResponse(status: .ok, body: .file(file.slice(0..<UInt64(count))))
        answer.kept = PreparedResponseSlot()
        try await withServer(respond: { [answer] _ in .now(answer) }) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<3 {
                client.get("/")
                #expect(try await client.response().body == pattern(count))
            }
        }
    }

    @Test("Only what is equal is sent again: HEAD, 304 and a request's id have their own answers")
    func differences() async throws {
        var answer = HTTPResponse(status: .ok, body: .bytes(pattern(100)))
        answer.kept = PreparedResponseSlot()
        var unchanged = answer
        unchanged.status = .notModified
        unchanged.kept = PreparedResponseSlot()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { [answer, unchanged] request in
            .now(request.path == "/" ? answer : unchanged)
        }
        try await withServer(configure: { $0.assignsRequestIDs = true }, respond: respond) { server in
            let client = try RawConnection(port: server.port)
            var ids: Set<String?> = []
            for _ in 0..<3 {
                client.get("/")
                let seen = try await client.response()
                #expect(seen.body == pattern(100))
                ids.insert(seen.headers["X-Request-Id"])
            }
            #expect(ids.count == 3 && !ids.contains(nil))
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.get("/")
                #expect(try await client.response().body == pattern(100))
                client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                let head = try await client.response(toHead: true)
                #expect(head.headers["Content-Length"] == "100" && head.body.isEmpty)
                client.get("/unchanged")
                let none = try await client.response(toHead: true)
                #expect(none.status == 304 && none.body.isEmpty)
            }
        }
    }

    @Test("A change of an answer is sent") func changed() async throws {
        var answer = HTTPResponse(status: .ok, body: .bytes(pattern(100)))
        answer.kept = PreparedResponseSlot()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { [answer] request in
            var answer = answer
            if request.path == "/other" { answer.headers["ETag"] = "\"b\"" }
            return .now(answer)
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            for path in ["/", "/other", "/"] {
                client.get(path)
                #expect(try await client.response().headers["ETag"] == (path == "/" ? nil : "\"b\""))
            }
        }
    }
}
