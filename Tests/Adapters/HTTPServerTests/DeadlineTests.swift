import HTTP
import HTTPServer
import HTTPSupport
import Testing

@Suite("Slow clients")
struct DeadlineTests {
    @Test("A slow header ends the connection, even while bytes arrive", arguments: [0, 1])
    func header(requestsBefore: Int) async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.limits.header = .seconds(4)
            $0.limits.idle = .seconds(20)
        }
        try await withServer(configure: configure, respond: { .text($0.path) }) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<requestsBefore {
                client.get("/")
                _ = try await client.response()
            }
            let trickle = Task {
                client.send("GET / HTTP/1.1\r\n")
                while !Task.isCancelled {
                    client.send("X")
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            #expect(await client.rest().isEmpty)
            trickle.cancel()
        }
    }

    @Test("A slow request body ends the connection") func body() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.limits.requestBody = .milliseconds(100)
        }
        try await withServer(configure: configure, respond: { .text($0.path) }) { server in
            let client = try RawConnection(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
            let trickle = Task {
                while !Task.isCancelled {
                    client.send("X")
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            #expect(await client.rest().isEmpty)
            trickle.cancel()
        }
    }

    @Test(
        "A client that takes nothing for a while still gets the whole answer, whatever its length",
        arguments: [true, false])
    func pausing(isLengthKnown: Bool) async throws {
        let byteCount = 64 << 20
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            if isLengthKnown {
                return .now(HTTPResponse(status: .ok, body: .bytes([UInt8](repeating: 7, count: byteCount))))
            }
            let source = TestSource { call, limit in
                call < byteCount / limit ? [UInt8](repeating: 7, count: limit) : nil
            }
            return .now(HTTPResponse(status: .ok, body: .stream(length: nil, source)))
        }
        try await withServer(configure: { $0.limits.idle = .seconds(1) }, respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.get("/", fields: "Connection: close\r\n")
            // The pause of a player whose buffer is full, which is what is tested.
            try await Task.sleep(for: .seconds(4))
            #expect(server.openConnections == 1)
            let received = await client.rest()
            // With a header, and where the length is unknown with the chunks' sizes.
            #expect(received.count > byteCount)
            #expect(isLengthKnown || received.suffix(5) == Array("0\r\n\r\n".utf8)[...])
        }
    }

    @Test("A connection that waits for its next request is closed") func idle() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            ($0.limits.idle, $0.limits.header) = (.milliseconds(50), .milliseconds(50))
        }
        try await withServer(configure: configure, respond: { .text($0.path) }) { server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            #expect(try await client.response().text == "/")
            #expect(await client.rest().isEmpty)
        }
    }

    @Test("A silent connection is closed") func silent() async throws {
        try await withServer(configure: { $0.limits.header = .milliseconds(50) }, respond: { .text($0.path) })
        { server in
            let client = try RawConnection(port: server.port)
            #expect(await client.rest().isEmpty)
        }
    }

    @Test("The deadline of the header ends with the header: an answer may take longer") func answered()
        async throws
    {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            .later {
                try? await Task.sleep(for: .seconds(5))
                return HTTPResponse(status: .ok, body: .bytes([65]))
            }
        }
        try await withServer(configure: { $0.limits.header = .seconds(4) }, respond: respond) {
            server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            #expect(try await client.response().text == "A")
        }
    }
}
