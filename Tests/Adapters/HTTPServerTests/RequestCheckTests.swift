import HTTP
import HTTPServer
import HTTPSupport
import Testing

@Suite("Ambiguous requests are refused (RFC 9112)")
struct RequestCheckTests {
    @Test(
        "refused with 400 and closed",
        arguments: [
            (
                "both lengths",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            ),
            (
                "both lengths, the other order",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
            ),
            (
                "two lengths",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"
            ),
            (
                "two codings",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
            ),
            ("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ("a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
            ("a tab before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX\t: b\r\n\r\n"),
            ("no name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
            ("no colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
            ("no Host", "GET / HTTP/1.1\r\nAccept: a\r\n\r\n"),
            ("no field at all", "GET / HTTP/1.1\r\n\r\n"),
            ("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
            ("a folded line", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"),
            (
                "a folded line that spells a length",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Len: 3\r\n gth\r\n\r\nabc"
            ),
            ("a folded first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
            ("a bare LF in the header", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
            ("bare LFs only", "GET / HTTP/1.1\nHost: a\n\n"),
            ("a NUL in a value", "GET / HTTP/1.1\r\nHost: a\0b\r\nX: c\r\n\r\n"),
            ("a NUL in the last value", "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n"),
            ("a line of NUL", "GET / HTTP/1.1\r\nHost: a\r\n\0\r\n\r\n"),
            ("a bare CR in a value", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n"),
            ("a control byte in a value", "GET / HTTP/1.1\r\nHost: a\u{1}\r\n\r\n"),
            ("a NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("two blanks before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a control byte in the target", "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a byte above ASCII in the target", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a relative target", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("an authority as target", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a user in the target", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a host of other characters", "GET http://\"/ HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a port that is no number", "GET http://a:b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a fragment in the target", "GET http://a#b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("no host in the target", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a path in the Host field", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
            ("a user in the Host field", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
            ("an asterisk for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("a method that is not a token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
            ("no version", "GET /\r\nHost: a\r\n\r\n"),
        ])
    func refused(name: String, request: String) async throws {
        try await withServer(respond: { _ in .text("reached") }) { server in
            let client = try RawConnection(port: server.port)
            client.send(request)
            let response = try await client.response()
            #expect(response.status == 400, "\(name)")
            #expect(response.headers["Connection"] == "close", "\(name)")
            #expect(await client.rest().isEmpty, "\(name)")
        }
    }

    @Test("a refusal is a problem document") func problem() async throws {
        try await withServer(respond: { _ in .text("") }) { server in
            let client = try RawConnection(port: server.port)
            client.send("GET / HTTP/1.1\r\n\r\n")
            let response = try await client.response()
            #expect(response.headers["Content-Type"] == "application/problem+json")
            #expect(
                response.text
                    == #"{"type":"about:blank","title":"Bad Request","status":400,"detail":"the Host field is missing"}"#
            )
        }
    }

    /// Refused by the library before the server sees it.
    @Test(
        "a length that is not a number is refused with 400 and closed",
        arguments: ["+3", "3, 3", "3x", "-1", "0x3"])
    func malformedLength(length: String) async throws {
        try await withServer(respond: { _ in .text("reached") }) { server in
            let client = try RawConnection(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\nabc")
            #expect(try await client.response().status == 400)
            #expect(!String(decoding: await client.rest(), as: UTF8.self).contains("reached"))
        }
    }

    @Test(
        "other refusals",
        arguments: [
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 9_000))\r\n\r\n", 431),
        ])
    func others(request: String, status: Int) async throws {
        try await withServer(respond: { _ in .text("reached") }) { server in
            let client = try RawConnection(port: server.port)
            client.send(request)
            #expect(try await client.response().status == status)
        }
    }

    @Test(
        "accepted",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "/ a"),
            ("GET / HTTP/1.1\r\nhost:a\r\n\r\n", "/ a"),
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", "/ "),
            ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "/ a"),
            ("GET /x HTTP/1.0\r\n\r\n", "/x none"),
            ("GET http://b:8/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "/x b:8"),
            ("GET HTTPS://b HTTP/1.1\r\nHost: a\r\n\r\n", "/ b"),
            ("GET http://b?y HTTP/1.1\r\nHost: a\r\n\r\n", "/ b"),
            ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "* a"),
            ("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", "/pot a"),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{E9}\tb\r\n\r\n", "/ a"),
        ])
    func accepted(request: String, expected: String) async throws {
        try await withServer(respond: { .text("\($0.path) \($0.headers["Host"] ?? "none")") }) { server in
            let client = try RawConnection(port: server.port)
            client.send(request)
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response.text == expected)
        }
    }

    /// The library takes request, header records, response header and the vector of a body from one memory;
    /// where it runs out it cuts the connection.
    @Test(
        "A header of any size is answered or refused, not truncated",
        arguments: [("X", "a"), ("Cookie", "a=b; "), ("Cookie", "a=b,"), ("Cookie", ";")])
    func headerSizes(name: String, part: String) async throws {
        let pieces = (0..<120).map { _ in SharedBytes(pattern(1_000)) }
        let answer = HTTPResponse(
            status: .ok, headers: ["X-Long": String(repeating: "b", count: 700)], body: .pieces(pieces))
        try await withServer(respond: { _ in .now(answer) }) { server in
            for size in stride(from: 100, through: 9_000, by: 137) {
                let client = try RawConnection(port: server.port)
                let value = String(repeating: part, count: size / part.utf8.count)
                client.get("/", fields: "\(name): \(value)\r\n")
                guard let response = try? await client.response() else {
                    // Next to a header that fills the memory not even a refusal has room.
                    #expect(size > 4_500)
                    continue
                }
                #expect(response.status == (response.body.count == 120_000 ? 200 : 431), "\(size)")
                if size < 2_500 && name == "X" { #expect(response.status == 200) }
            }
        }
    }

    @Test("A header that is too large is refused with the limit, as far as that has room beside it")
    func tooLarge() async throws {
        try await withServer(respond: { _ in .text("reached") }) { server in
            for size in [3_800, 4_500, 5_000] {
                let client = try RawConnection(port: server.port)
                client.get("/", fields: "X: \(String(repeating: "a", count: size))\r\n")
                let response = try await client.response()
                if size == 5_000 {
                    #expect(response.status == 431 && response.body.isEmpty)
                    continue
                }
                #expect(response.isProblem(431))
                #expect((response.problem["detail"] as? String)?.contains("3840 bytes") == true)
                #expect(response.headers["Access-Control-Allow-Origin"] == "*")
            }
        }
    }

    /// The library would keep a record for each parameter, and close the connection where it has no room.
    @Test(
        "A query of any number of parameters is answered or refused",
        arguments: [(1, 200), (80, 200), (900, 200), (1_000, 431), (2_000, 414)])
    func parameters(count: Int, status: Int) async throws {
        let query = String(repeating: "a=1&", count: count)
        try await withServer(respond: { .text($0.query ?? "none") }) { server in
            let client = try RawConnection(port: server.port)
            client.get("/?\(query)")
            let response = try await client.response()
            #expect(response.status == status)
            if status == 200 { #expect(response.text == query) }
        }
    }

    /// The library would close the connection where header of request and of answer have no room together.
    @Test("A redirect that repeats a query of any length is sent or refused")
    func redirects() async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            let location: HTTPHeaders = ["Location": "x?\(request.query ?? "")"]
            return .now(HTTPResponse(status: .found, headers: location))
        }
        try await withServer(respond: respond) { server in
            for length in [1_000, 2_600, 3_600] + Array(stride(from: 2_000, through: 3_000, by: 40)) {
                let client = try RawConnection(port: server.port)
                let query = "token=\(String(repeating: "a", count: length))"
                client.get("/?\(query)")
                let response = try await client.response()
                if response.status == 302 {
                    #expect(response.headers["Location"] == "x?\(query)" && length < 2_600)
                } else {
                    #expect(response.isProblem(431) && length > 2_000)
                }
            }
        }
    }

    @Test("A browser's header with cookies of its site has room") func cookies() async throws {
        let fields = (0..<20).map { "X-\($0): \(String(repeating: "a", count: 30))\r\n" }.joined()
        let cookies = (0..<5).map { "name\($0)=\(String(repeating: "c", count: 60))" }.joined(separator: "; ")
        try await withServer(respond: { _ in .text("found") }) { server in
            let client = try RawConnection(port: server.port)
            client.get("/", fields: "\(fields)Cookie: \(cookies)\r\n")
            #expect(try await client.response().text == "found")
        }
    }

    @Test("A header that comes byte by byte is read like one that comes at once") func trickle() async throws
    {
        try await withServer(respond: { .text("\($0.path) \($0.headers.fields.count)") }) { server in
            let client = try RawConnection(port: server.port)
            let fields = (0..<30).map { "X-\($0): \(String(repeating: "a", count: $0 * 3))\r\n" }.joined()
            for byte in "GET /a?b HTTP/1.1\r\nHost: test\r\n\(fields)\r\n".utf8 { client.send([byte]) }
            #expect(try await client.response().text == "/a 31")
        }
    }
}
