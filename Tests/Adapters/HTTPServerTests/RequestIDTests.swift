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
        let ids = try await ids(configure: { $0.namesRequests = true }, fields: "X-Request-Id: forged\r\n")
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
                $0.namesRequests = true
                $0.trustedProxies = [proxy]
            }, fields: fields)
        for id in ids { #expect((id.map { fields == "X-Request-Id: \($0)\r\n" } ?? false) == isUsed) }
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
