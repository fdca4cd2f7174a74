import HTTP
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(30)))
struct HTTPSessionTests {
    @Test("A body arrives unchanged, with status, headers and times")
    func wholeBody() async throws {
        let body = pattern(1_000_000)
        try await withServer(answer: { $1.respond("200 OK", ["X-A: 1", "x-a: 2"], body: body) }) {
            client, server in
            let answer = try await client.makeLocalSession().fetch(
                server.url("/a?b=c#d"), TransferOptions(byteLimit: body.count))
            #expect(answer.bytes == body)
            #expect(answer.status == .ok)
            #expect(answer.head.headers.values(of: "X-A") == ["1", "2"])
            #expect(answer.head.effectiveURL == server.url("/a?b=c"))
            #expect(answer.head.remoteAddress == "127.0.0.1")
            #expect(answer.head.requestedAt <= answer.head.arrivedAt)
            #expect(answer.head.arrivedAt <= answer.finishedAt)
            #expect(server.requests.map(\.target) == ["/a?b=c"])
        }
    }

    @Test("A body can be pulled in chunks")
    func chunks() async throws {
        let body = pattern(2_500_000)
        try await withServer(answer: { $1.respond(body: body) }) { client, server in
            var transfer = try await client.makeLocalSession().open(
                server.url("/"), TransferOptions(byteLimit: body.count))
            var received: [UInt8] = []
            var sizes: [Int] = []
            while let chunk = try await transfer.nextChunk() {
                received += chunk
                sizes.append(chunk.count)
            }
            #expect(received == body)
            #expect(transfer.byteCount == body.count)
            #expect(transfer.finishedAt != nil)
            #expect(sizes.allSatisfy { $0 <= Limits.chunkByteCount })
        }
    }

    @Test("What an origin sends before a pause is delivered during the pause, where that is wanted")
    func pausingOrigin() async throws {
        let body = pattern(200_000)
        let gate = Gate()
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(Array(body[..<100_000]))
            gate.pass()
            connection.send(Array(body[100_000...]))
        }
        try await withServer(answer: answer) { client, server in
            defer { gate.open() }
            var options = TransferOptions(byteLimit: body.count)
            options.chunkDelay = .milliseconds(100)
            options.totalTimeout = .seconds(20)
            var transfer = try await client.makeLocalSession().open(server.url("/"), options)
            var received: [UInt8] = []
            while received.count < 100_000, let chunk = try await transfer.nextChunk() { received += chunk }
            #expect(received == Array(body[..<100_000]))
            gate.open()
            while let chunk = try await transfer.nextChunk() { received += chunk }
            #expect(received == body)
        }
    }

    @Test("A status of 400 and above is an answer, however small the limit", arguments: [400, 403, 404, 503])
    func errorStatus(code: Int) async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = {
            $1.respond("\(code) No", body: Array("explained".utf8))
        }
        try await withServer(answer: answer) { client, server in
            let fetched = try await client.makeLocalSession().fetch(
                server.url("/"), TransferOptions(byteLimit: 1))
            #expect(fetched.status.rawValue == code)
            #expect(fetched.bytes == Array("explained".utf8))
        }
    }

    @Test("An answer without a body is whole", arguments: ["204 No Content", "304 Not Modified"])
    func noBody(status: String) async throws {
        try await withServer(answer: { $1.send("HTTP/1.1 \(status)\r\n\r\n") }) { client, server in
            let session = try client.makeLocalSession()
            for _ in 0..<2 { #expect(try await session.fetch(server.url("/"), .small).bytes.isEmpty) }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A range is requested in bytes, both ends included (RFC 9110 §14.1.2)")
    func range() async throws {
        try await withServer(answer: { $1.respond("206 Partial Content", body: [1, 2]) }) { client, server in
            let session = try client.makeLocalSession()
            let options = TransferOptions(byteLimit: 10, range: 100..<102, acceptCompressed: true)
            #expect(try await session.fetch(server.url("/"), options).status == .partialContent)
            #expect(server.requests.first?.fields["range"] == "bytes=100-101")
            #expect(server.requests.first?.fields["accept-encoding"] == "identity")
            await expectError(.badRequest("an empty range")) {
                _ = try await session.fetch(server.url("/"), TransferOptions(byteLimit: 10, range: 5..<5))
            }
        }
    }

    @Test(
        "Other methods and their content are sent, and a redirect answers them", arguments: [0, 3, 100_000])
    func methods(byteCount: Int) async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { $1.redirect(to: "/other") }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            let content = Array(String(repeating: "0", count: byteCount).utf8)
            for method in [HTTPMethod.post, .put, .patch] {
                let options = TransferOptions(
                    byteLimit: 10, method: method, body: content,
                    headers: ["Content-Type": "application/json"])
                #expect(try await session.fetch(server.url("/"), options).status.rawValue == 302)
                let request = try #require(server.requests.last)
                #expect(request.method == method.rawValue)
                #expect(request.body == content)
                #expect(request.fields["content-type"] == "application/json")
            }
            _ = try await session.fetch(server.url("/"), TransferOptions(byteLimit: 10, method: .delete))
            #expect(server.requests.last?.method == "DELETE")
            #expect(server.requests.count == 4)
        }
    }

    @Test("A connection is reused unless a new one is required; one that the server closed is replaced")
    func connections() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            connection.respond()
            if request.target == "/last" { connection.interrupt() }
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            _ = try await session.fetch(server.url("/"), .small)
            _ = try await session.fetch(server.url("/last"), .small)
            #expect(server.connectionCount == 1)
            _ = try await session.fetch(server.url("/"), .small)
            #expect(server.connectionCount == 2)
            _ = try await session.fetch(server.url("/"), TransferOptions(byteLimit: 1, freshConnection: true))
            #expect(server.connectionCount == 3)
        }
    }

    @Test("User info of the URL is sent as Basic credentials (RFC 7617)")
    func userInfo() async throws {
        try await withServer(answer: { $1.respond() }) { client, server in
            let url = "http://Aladdin:open%20sesame@127.0.0.1:\(server.port)/"
            _ = try await client.makeLocalSession().fetch(url, .small)
            #expect(server.requests.first?.fields["authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        }
    }

    @Test("The session has a user agent, which a configured header overrides")
    func userAgent() async throws {
        try await withServer(answer: { $1.respond() }) { client, server in
            let plain = try client.makeSession(SessionOptions(host: "127.0.0.1", userAgent: "Test/1"))
            _ = try await plain.fetch(server.url("/"), .small)
            let own = try client.makeSession(
                SessionOptions(source: server.url("/"), headers: ["user-agent": "VLC"], userAgent: "Test/1"))
            _ = try await own.fetch(server.url("/"), .small)
            #expect(server.requests.map { $0.fields["user-agent"] } == ["Test/1", "VLC"])
        }
    }

    @Test("A port without listener is a transient connection failure")
    func refusedConnection() async throws {
        let server = try ScriptedServer { $1.respond() }
        let url = server.url("/")
        server.stop()
        try await withClient { client in
            let session = try client.makeLocalSession()
            let error = await #expect(throws: TransferError.self) { try await session.fetch(url, .small) }
            #expect(error?.isTransient == true)
            guard case .connectionFailed = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A configured proxy is used, and numeric addresses are still checked")
    func proxy() async throws {
        let proxy = try ScriptedServer { $1.respond(body: Array("proxied".utf8)) }
        defer { proxy.stop() }
        try await withClient(proxy: proxy.url("")) { client in
            let session = try client.makeSession(SessionOptions(host: "tv.example"))
            let answer = try await session.fetch("http://tv.example/a", .small)
            #expect(answer.bytes == Array("proxied".utf8))
            #expect(proxy.requests.map(\.target) == ["http://tv.example/a"])
            await expectError(.addressRefused(host: "169.254.169.254", address: "169.254.169.254", .metadata))
            {
                _ = try await session.fetch("http://169.254.169.254/", .small)
            }
        }
    }
}
