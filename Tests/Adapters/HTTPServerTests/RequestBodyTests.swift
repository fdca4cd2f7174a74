import HTTP
import HTTPServer
import HTTPSupport
import Testing

@Suite("Bodies of requests")
struct RequestBodyTests {
    private let echo: @Sendable (HTTPRequest) -> HTTPAnswer = {
        .now(HTTPResponse(status: .ok, body: .bytes($0.body)))
    }

    @Test(
        "A body up to the limit arrives whole, and the connection stays open", arguments: [0, 1, 999, 1_000])
    func whole(count: Int) async throws {
        try await withServer(respond: echo) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
                client.send(pattern(count))
                #expect(try await client.response().body == pattern(count))
            }
        }
    }

    @Test("A chunked body arrives whole, without extensions and trailers") func chunked() async throws {
        try await withServer(respond: echo) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                client.send("3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n")
                #expect(try await client.response().text == "abc0123456789")
            }
        }
    }

    @Test("A large body within a large limit arrives whole") func large() async throws {
        try await withServer(admission: .upTo(300_000), respond: echo) { server in
            let client = try RawConnection(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
            client.send(pattern(300_000))
            #expect(try await client.response().body == pattern(300_000))
        }
    }

    @Test("A body far over the limit is refused before it is read") func announced() async throws {
        try await withServer(respond: echo) { server in
            let client = try RawConnection(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
            let response = try await client.response()
            #expect(response.status == 413)
            #expect(response.headers["Connection"] == "close")
            #expect(response.headers["Content-Type"] == "application/problem+json")
        }
    }

    @Test("A body over the limit is read to its end, so that its sender sees the refusal")
    func sentAtOnce() async throws {
        try await withServer(respond: echo) { server in
            for count in [1_001, 200_000] {
                let client = try RawConnection(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
                client.send(pattern(count))
                #expect(try await client.response().status == 413)
            }
        }
    }

    @Test("A body that the handler refuses gets the handler's answer before it is sent")
    func refused() async throws {
        let refusal = HTTPResponse(status: .unauthorized, headers: ["WWW-Authenticate": "Bearer"])
        try await withServer(admission: .refused(refusal), respond: echo) { server in
            for field in [
                "Content-Length: 1048576", "Content-Length: 3\r\nExpect: 100-continue",
                "Transfer-Encoding: chunked",
            ] {
                let client = try RawConnection(port: server.port)
                client.send("PUT / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
                let response = try await client.response()
                #expect(response.status == 401)
                #expect(response.headers["Connection"] == "close")
            }
        }
    }

    @Test("A short body that the handler refuses is dropped, and the connection stays open")
    func refusedShort() async throws {
        let refusal = HTTPResponse(status: .unauthorized)
        try await withServer(admission: .refused(refusal), respond: echo) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                #expect(try await client.response().status == 401)
            }
            client.get("/")
            #expect(try await client.response().status == 200)
        }
    }

    @Test("A length beyond 64 bits is refused") func overflowing() async throws {
        try await withServer(respond: echo) { server in
            let client = try RawConnection(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n")
            let status = try await client.response().status
            #expect(status == 413 || status == 400)
        }
    }

    @Test("A chunked body over the limit is refused", arguments: [1_001, 20_000])
    func chunkedOver(count: Int) async throws {
        try await withServer(respond: echo) { server in
            let client = try RawConnection(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.send("\(String(count, radix: 16))\r\n")
            client.send(pattern(count))
            client.send("\r\n0\r\n\r\n")
            #expect(try await client.response().status == 413)
        }
    }

    @Test("A chunked body without end ends the connection") func endless() async throws {
        try await withServer(configure: { $0.limits.droppedBodyBytes = 50_000 }, respond: echo) { server in
            let client = try RawConnection(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<20 {
                client.send("2710\r\n")
                client.send(pattern(10_000))
                client.send("\r\n")
            }
            #expect(await client.rest().isEmpty)
        }
    }

    @Test("A client that waits for 100 gets it, or a refusal") func expectation() async throws {
        try await withServer(respond: echo) { server in
            let client = try RawConnection(port: server.port)
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            #expect(try await client.response(toHead: true).status == 100)
            client.send("abc")
            #expect(try await client.response().text == "abc")
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3000\r\n\r\n")
            #expect(try await client.response().status == 413)
        }
    }
}
