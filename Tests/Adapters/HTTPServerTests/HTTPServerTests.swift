import HTTP
import HTTPServer
import HTTPSupport
import TestSupport
import Testing

@Suite("The server and its connections")
struct HTTPServerTests {
    @Test("A handler sees the request as it was sent")
    func request() async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            let query = request.query.map { "\"\($0)\"" } ?? "none"
            let fields = request.headers.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            return .text(
                "\(request.method.rawValue) \(request.path) \(query) \(request.remoteAddress) \(fields)")
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.get("/a%20b/%2f?x=%41&y=1&&z", fields: "Accept:  text/a  \r\nX-Empty:\r\nX-Empty: 2\r\n")
            #expect(
                try await client.response().text
                    == "GET /a%20b/%2f \"x=%41&y=1&&z\" 127.0.0.1 Host=test,Accept=text/a,X-Empty=,X-Empty=2")
            client.get("/?")
            #expect(try await client.response().text == "GET / \"\" 127.0.0.1 Host=test")
            client.get("/")
            #expect(try await client.response().text == "GET / none 127.0.0.1 Host=test")
        }
    }

    @Test(
        "Unreserved characters of a path arrive without escapes, everything else as it was sent",
        arguments: [
            ("/ch%31/index%2Em3u8", "/ch1/index.m3u8"), ("/%7e%5F%2d%41?%41", "/~_-A?%41"),
            ("http://b/%61", "/a"), ("/a%2Fb%2fc%00%25%3A%20", "/a%2Fb%2fc%00%25%3A%20"),
            ("/%2541", "/%2541"), ("/%41%", "/%41%"), ("/%%341", "/%%341"), ("/%41%G1", "/%41%G1"),
        ])
    func escapes(target: String, expected: String) async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            .text(request.path + (request.query.map { "?\($0)" } ?? ""))
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.get(target)
            #expect(try await client.response().text == expected)
        }
    }

    @Test("Pipelined requests are answered in order on one connection, quick and slow ones mixed")
    func pipelining() async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            if request.path.hasSuffix("0") { return .text(request.path) }
            return .later {
                await Task.yield()
                return HTTPResponse(status: .ok, body: .bytes(Array(request.path.utf8)))
            }
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            let paths = (100..<130).map { "/\($0)" }
            client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
            for path in paths { #expect(try await client.response().text == path) }
            #expect(server.openConnections == 1)
        }
    }

    @Test(
        "HTTP/1.0 closes the connection unless it asks to keep it",
        arguments: [
            ("", true), ("Connection: keep-alive\r\n", false),
        ])
    func http10(fields: String, isClosed: Bool) async throws {
        try await withServer(respond: { .text($0.path) }) { server in
            let client = try RawConnection(port: server.port)
            client.send("GET /a HTTP/1.0\r\n\(fields)\r\n")
            #expect(try await client.response().text == "/a")
            if isClosed {
                #expect(await client.rest().isEmpty)
            } else {
                client.send("GET /b HTTP/1.0\r\n\r\n")
                #expect(try await client.response().text == "/b")
            }
        }
    }

    @Test("A response field that could end its line is not sent")
    func splitting() async throws {
        let long = String(repeating: "a", count: 50)
        var headers: HTTPHeaders = [
            "X-Good": "1", "X-Bad": "a\r\nSet-Cookie: b", "X Bad": "c", "X-Nul": "a\0b",
            "X-First": "\n" + long, "X-Middle": long + "\u{1}" + long, "X-Long": long + "\r",
        ]
        headers.append("Content-Length", "5")
        headers.append("X-Last", "2")
        let response = HTTPResponse(status: .ok, headers: headers, body: .bytes([65]))
        try await withServer(respond: { _ in .now(response) }) { server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            let names = try await client.response().headers.fields.map(\.name).sorted()
            #expect(names == ["Content-Length", "Date", "X-Good", "X-Last"])
        }
    }

    @Test("A port in use is an error that names it")
    func taken() async throws {
        try await withServer(respond: { _ in .text("") }) { server in
            let address = ListenAddress(host: "127.0.0.1", port: server.port)
            #expect(throws: HTTPServerError.addressInUse(address)) {
                try HTTPServer.open(
                    configuration: HTTPServer.Configuration(address: address),
                    handler: FunctionHandler { _ in .text("") }, logger: silentLogger)
            }
            #expect("\(HTTPServerError.addressInUse(address))".contains("\(server.port)"))
        }
    }

    @Test("An address of another machine is refused with the system's message")
    func foreign() throws {
        let address = ListenAddress(host: "192.0.2.1", port: 0)
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer.open(
                configuration: HTTPServer.Configuration(address: address),
                handler: FunctionHandler { _ in .text("") }, logger: silentLogger)
        }
        #expect(error?.description.contains("192.0.2.1") == true)
    }
}
