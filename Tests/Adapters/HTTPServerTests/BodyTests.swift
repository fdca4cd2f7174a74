import HTTP
import HTTPServer
import HTTPSupport
import Testing

@Suite("Bodies reach the client whole")
struct BodyTests {
    @Test("bytes of every size", arguments: [0, 1, 100, 4_096, 4_097, 65_536, 1_000_000])
    func bytes(count: Int) async throws {
        let body = pattern(count)
        try await check(.bytes(body), gives: body)
    }

    @Test("no body") func empty() async throws {
        try await check(.empty, gives: [])
    }

    @Test(
        "pieces: one, few and small, few and large, with empty ones, more than a vector takes",
        arguments: [
            [0], [10], [5_000], [200_000],
            [10, 20], [50_000, 0, 60_000, 70_000], [Int](repeating: 5_000, count: 100),
            [Int](repeating: 997, count: 400),
            [0, 0, 140_000, 0], [],
        ])
    func pieces(sizes: [Int]) async throws {
        let body = pattern(sizes.reduce(0, +))
        var start = 0
        let pieces = sizes.map { size in
            defer { start += size }
            return SharedBytes(Array(body[start..<(start + size)]))
        }
        try await check(.pieces(pieces), gives: body)
    }

    @Test(
        "slices of a file: read, and sent by the kernel",
        arguments: [
            0..<0 as Range<UInt64>, 0..<100, 50..<150, 1_000..<66_536, 7..<300_000, 299_999..<300_000,
            0..<300_000,
        ])
    func slices(range: Range<UInt64>) async throws {
        let content = pattern(300_000)
        let file = TestFile(content)
        try await check(
            .file(file.slice(range)), gives: Array(content[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    @Test(
        "a slice beyond its file is a 503, not a body that never ends",
        arguments: [
            50..<101 as Range<UInt64>, 200..<200_000,
        ])
    func sliceBeyond(range: Range<UInt64>) async throws {
        let file = TestFile(pattern(100))
        try await withServer(respond: { _ in .now(HTTPResponse(status: .ok, body: .file(file.slice(range)))) }
        ) {
            let client = try RawConnection(port: $0.port)
            client.get("/")
            #expect(try await client.response().status == 503)
        }
    }

    @Test("a 304 has the length of GET's body, no body, and keeps its connection")
    func notModified() async throws {
        let pieces = HTTPBody.pieces([SharedBytes(pattern(40_000)), SharedBytes(pattern(10))])
        let bodies: [HTTPBody] = [
            .bytes([1, 2, 3]), pieces, .file(TestFile(pattern(100_000)).slice(0..<100_000)),
            .stream(length: 70_000, TestSource { _, _ in nil }),
        ]
        let lengths = ["3", "40010", "100000", "70000"]
        try await withServer(respond: { request in
            let body = bodies[request.path.utf8.count - 1]
            return .now(HTTPResponse(status: .notModified, headers: ["ETag": "\"a\""], body: body))
        }) {
            let client = try RawConnection(port: $0.port)
            for index in 0..<100 {
                client.get("/" + String(repeating: "a", count: index % bodies.count))
                let response = try await client.response(toHead: true)
                #expect(response.status == 304)
                #expect(response.headers["ETag"] == "\"a\"")
                #expect(response.headers["Content-Length"] == lengths[index % bodies.count])
                #expect(response.headers["Connection"] == nil)
            }
            #expect($0.openConnections == 1)
        }
    }

    @Test("204 has no body and no length")
    func withoutBody() async throws {
        let response = HTTPResponse(status: .noContent, headers: ["ETag": "\"a\""], body: .bytes([1, 2, 3]))
        try await withServer(respond: { _ in .now(response) }) {
            let client = try RawConnection(port: $0.port)
            client.get("/", fields: "Connection: close\r\n")
            let response = try await client.response()
            #expect(response.status == 204)
            #expect(response.headers["ETag"] == "\"a\"")
            #expect(response.headers["Content-Length"] == nil)
            #expect(response.headers["Transfer-Encoding"] == nil)
            #expect(await client.rest().isEmpty)
        }
    }

    /// The response to GET, then to HEAD on the same connection, then one more to see that nothing was left
    /// over.
    private func check(_ body: HTTPBody, gives expected: [UInt8]) async throws {
        let answer = HTTPResponse(status: .ok, headers: ["Content-Type": "a/b"], body: body)
        try await withServer(respond: { _ in .now(answer) }) {
            let client = try RawConnection(port: $0.port)
            client.get("/")
            let got = try await client.response()
            #expect(got.status == 200)
            #expect(got.body == expected)
            #expect(got.headers["Content-Length"] == String(expected.count))
            #expect(got.headers["Content-Type"] == "a/b")
            #expect(got.headers["Date"] != nil)
            #expect(got.headers["Server"] == nil)
            client.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n")
            let head = try await client.response(toHead: true)
            #expect(head.headers.fields.map(\.name) == got.headers.fields.map(\.name))
            #expect(head.headers["Content-Length"] == String(expected.count))
            client.get("/", fields: "Connection: close\r\n")
            #expect(try await client.response().body == expected)
            #expect(await client.rest().isEmpty)
        }
    }
}
