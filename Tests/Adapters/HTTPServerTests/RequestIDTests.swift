import HTTP
import HTTPServer
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@Suite("Ids of requests")
struct RequestIDTests {
    @Test("An answer names its request's id, which is another one for each request") func made() async throws
    {
        let ids = try await ids(
            configure: { $0.assignsRequestIDs = true }, fields: "X-Request-Id: forged\r\n")
        #expect(Set(ids).count == 2)
        for id in ids { #expect(id?.wholeMatch(of: /[0-9a-f]{16}/) != nil, "\(id ?? "none")") }
    }

    @Test(
        "The id of a trusted proxy is used if it can be read",
        arguments: [
            ("X-Request-Id: 0f-A.b_c:d=\r\n", true), ("X-Request-Id: two words\r\n", false),
            ("X-Request-Id: a\r\nX-Request-Id: b\r\n", false),
            ("X-Request-Id: \(String(repeating: "x", count: 129))\r\n", false),
        ])
    func trusted(fields: String, isUsed: Bool) async throws {
        let proxy = try AddressNetwork.reading("127.0.0.1")
        let ids = try await ids(
            configure: {
                $0.assignsRequestIDs = true
                $0.trustedProxies = [proxy]
            }, fields: fields)
        for id in ids { #expect((id.map { fields == "X-Request-Id: \($0)\r\n" } ?? false) == isUsed) }
    }

    @Test(
        "What is refused by its header has an id, and its summary a method and a path",
        arguments: [
            ("GET /a?b HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 3_800))\r\n\r\n", 431),
            ("GET /a?b HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 5_000))\r\n\r\n", 431),
            ("GET /a HTTP/1.1\r\n\r\n", 400),
            ("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n", 413),
            ("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ])
    func refused(request: String, status: Int) async throws {
        let finished = Mutex<[RequestSummary]>([])
        try await withServer(
            configure: {
                $0.assignsRequestIDs = true
                $0.onFinished = { summary in finished.withLock { $0.append(summary) } }
            }, respond: { _ in .text("reached") }
        ) { server in
            let client = try RawConnection(port: server.port)
            client.send(request)
            let response = try await client.response()
            #expect(response.status == status)
            try await eventually("the summary") { finished.withLock { $0.count } == 1 }
            let summary = try #require(finished.withLock { $0.first })
            #expect(summary.method.rawValue == request.prefix(3))
            #expect(summary.path == "/a")
            #expect(summary.status?.rawValue == status)
            #expect(summary.requestID?.wholeMatch(of: /[0-9a-f]{16}/) != nil)
            // Beside a header that fills the memory of a connection no field has room.
            let hasRoom = request.utf8.count < 5_000
            #expect(response.headers["X-Request-Id"] == (hasRoom ? summary.requestID : nil))
        }
    }

    @Test("A refused body has the id that a trusted proxy gave")
    func refusedBody() async throws {
        let finished = Mutex<[String?]>([])
        let proxy = try AddressNetwork.reading("127.0.0.1")
        try await withServer(
            admission: .refused(HTTPResponse(status: .unauthorized)),
            configure: {
                $0.assignsRequestIDs = true
                $0.trustedProxies = [proxy]
                $0.onFinished = { summary in finished.withLock { $0.append(summary.requestID) } }
            }, respond: { _ in .text("reached") }
        ) { server in
            let client = try RawConnection(port: server.port)
            let fields = "Host: a\r\nX-Request-Id: of-the-proxy\r\nContent-Length: 9000000\r\n"
            client.send("PUT / HTTP/1.1\r\n\(fields)\r\n")
            let response = try await client.response()
            #expect(response.status == 401 && response.headers["X-Request-Id"] == "of-the-proxy")
            try await eventually("the summary") { finished.withLock { $0 } == ["of-the-proxy"] }
        }
    }

    @Test("Without the setting there are no ids") func off() async throws {
        #expect(try await ids(configure: { _ in }, fields: "") == [nil, nil])
    }

    /// The ids of two requests, which their summaries have too.
    private func ids(
        configure: @escaping (inout HTTPServer.Configuration) -> Void, fields: String
    ) async throws -> [String?] {
        let finished = Mutex<[String?]>([])
        return try await withServer(
            configure: {
                configure(&$0)
                $0.onFinished = { summary in finished.withLock { $0.append(summary.requestID) } }
            }, respond: { $0.path == "/now" ? .text("x") : .later { HTTPResponse(status: .ok) } }
        ) { server in
            let client = try RawConnection(port: server.port)
            var ids: [String?] = []
            for path in ["/now", "/later"] {
                client.get(path, fields: fields)
                ids.append(try await client.response().headers["X-Request-Id"])
            }
            try await becomesIdle(server)
            try await eventually("both summaries") { finished.withLock { $0.count } == 2 }
            #expect(finished.withLock { $0 } == ids)
            return ids
        }
    }
}
