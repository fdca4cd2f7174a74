import HTTP
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(30)))
struct BrokenBodyTests {
    /// Sends the text and closes.
    private func closing(_ text: String) -> @Sendable (ServedRequest, ServedConnection) -> Void {
        { _, connection in
            connection.send(text)
            connection.interrupt()
        }
    }

    @Test(
        "A body that ends early is truncated, however its length was announced",
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                TransferError.truncated(received: 3, expected: 10)
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", .truncated(received: 0, expected: 10)),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                .truncated(received: 3, expected: nil)
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
                .truncated(received: 3, expected: nil)
            ),
        ])
    func truncated(answer: String, expected: TransferError) async throws {
        try await withServer(answer: closing(answer)) { client, server in
            let session = try client.makeLocalSession()
            await expectError(expected) { _ = try await session.fetch(server.url("/"), .small) }
        }
    }

    @Test("Data before the break is delivered, then the error")
    func prefix() async throws {
        let answer = closing("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        try await withServer(answer: answer) { client, server in
            var transfer = try await client.makeLocalSession().open(server.url("/"), .small)
            #expect(try await transfer.nextChunk() == Array("abc".utf8))
            let error = await #expect(throws: TransferError.self) { try await transfer.nextChunk() }
            #expect(error == .truncated(received: 3, expected: 10))
        }
    }

    @Test("Without an announced length the end of the connection is the end of the body (RFC 9112 §6.3)")
    func untilClose() async throws {
        try await withServer(answer: closing("HTTP/1.0 200 OK\r\n\r\nabc")) { client, server in
            let fetched = try await client.makeLocalSession().fetch(server.url("/"), .small)
            #expect(fetched.bytes == Array("abc".utf8))
        }
    }

    @Test("Bytes beyond the announced length do not belong to the body")
    func tooLong() async throws {
        let answer = closing("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef")
        try await withServer(answer: answer) { client, server in
            let fetched = try await client.makeLocalSession().fetch(server.url("/"), .small)
            #expect(fetched.bytes == Array("abc".utf8))
        }
    }

    @Test("A server that closes without an answer is a transient connection failure")
    func noAnswer() async throws {
        try await withServer(answer: { $1.interrupt() }) { client, server in
            let session = try client.makeLocalSession()
            let error = await #expect(throws: TransferError.self) {
                try await session.fetch(server.url("/"), .small)
            }
            guard case .connectionFailed = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(
        "A response that is not HTTP is a protocol error",
        arguments: [
            "SSH-2.0-OpenSSH_9\r\n\r\n", "<html>hello</html>\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        ])
    func notHTTP(answer: String) async throws {
        try await withServer(answer: closing(answer)) { client, server in
            let session = try client.makeLocalSession()
            let error = await #expect(throws: TransferError.self) {
                try await session.fetch(server.url("/"), .small)
            }
            guard case .protocolError = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A body beyond the limit is refused, announced or not, and a body of exactly the limit is not")
    func byteLimit() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            if request.target == "/announced" { return connection.respond(body: pattern(1001)) }
            if request.target == "/fits" { return connection.respond(body: pattern(1000)) }
            connection.send("HTTP/1.0 200 OK\r\n\r\n")
            while connection.send(pattern(1000)) {}
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            let options = TransferOptions(byteLimit: 1000)
            for path in ["/announced", "/endless"] {
                await expectError(.tooLarge(limit: 1000)) {
                    _ = try await session.fetch(server.url(path), options)
                }
            }
            #expect(try await session.fetch(server.url("/fits"), options).bytes.count == 1000)
        }
    }

    @Test("A body that is announced as too long is delivered up to the limit where that is wanted")
    func announced() async throws {
        let body = pattern(3 << 20)
        try await withServer(answer: { $1.respond(body: body) }) { client, server in
            var options = TransferOptions(byteLimit: 2 << 20)
            options.refusesTooLongAtOnce = false
            var transfer = try await client.makeLocalSession().open(server.url("/"), options)
            var (bytes, end) = ([UInt8](), TransferError?.none)
            do throws(TransferError) {
                while let chunk = try await transfer.nextChunk() { bytes += chunk }
            } catch {
                end = error
            }
            #expect(end == .tooLarge(limit: 2 << 20))
            let isBeginning = body.starts(with: bytes)
            #expect(isBeginning && bytes.count > 1 << 20 && bytes.count <= 2 << 20)
        }
    }

    @Test("A gzip bomb is stopped at the limit of decoded bytes")
    func bomb() async throws {
        let bomb = try await output(of: "/bin/gzip", ["-9"], input: [UInt8](repeating: 0, count: 30 << 20))
        try #require(bomb.count < 100_000)
        try await withServer(answer: { $1.respond("200 OK", ["Content-Encoding: gzip"], body: bomb) }) {
            client, server in
            let session = try client.makeLocalSession()
            let options = TransferOptions(byteLimit: 1 << 20, acceptCompressed: true)
            await expectError(.tooLarge(limit: 1 << 20)) {
                _ = try await session.fetch(server.url("/"), options)
            }
        }
    }

    @Test("A compressed body is decoded only on request")
    func compressed() async throws {
        let text = Array("#EXTM3U\n".utf8)
        let encoded = try await output(of: "/bin/gzip", [], input: text)
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = {
            $1.respond("200 OK", ["Content-Encoding: gzip"], body: encoded)
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            let decoding = TransferOptions(byteLimit: 1000, acceptCompressed: true)
            #expect(try await session.fetch(server.url("/"), decoding).bytes == text)
            #expect(try await session.fetch(server.url("/"), .small).bytes == encoded)
            #expect(server.requests.map { $0.fields["accept-encoding"]?.contains("gzip") } == [true, false])
        }
    }

    @Test("A compressed body that is damaged is an error")
    func damaged() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = {
            $1.respond("200 OK", ["Content-Encoding: gzip"], body: pattern(100))
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            let options = TransferOptions(byteLimit: 1000, acceptCompressed: true)
            let error = await #expect(throws: TransferError.self) {
                try await session.fetch(server.url("/"), options)
            }
            guard case .protocolError = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A head without end is cut off")
    func endlessHead() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-A: \(String(repeating: "a", count: 1000))\r\n") {}
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            await expectError(.headTooLarge(limit: Limits.headByteCount)) {
                _ = try await session.fetch(server.url("/"), .small)
            }
        }
    }
}
