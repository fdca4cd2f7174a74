import HTTP
import TestSupport
import Testing

@testable import HTTPClient

/// TLS and HTTP/2 against a real server.
@Suite(.timeLimit(.minutes(30)), .serialized)
struct NginxTests {
    /// Asks until nginx listens.
    private func fetch(_ session: HTTPSession, _ nginx: PrivateNginx) async throws -> FetchedBody {
        while true {
            try #require(nginx.isRunning)
            do throws(TransferError) {
                return try await session.fetch(nginx.url(), .small)
            } catch {
                guard case .connectionFailed = error else { throw error }
                await Task.yield()
            }
        }
    }

    @Test("HTTP/2 is used with a trusted server, and concurrent transfers share a connection")
    func version2() async throws {
        try await withNginx { nginx in
            try await withClient(certificateFile: nginx.certificateFile) { client in
                let session = try client.makeSession(SessionOptions(host: "localhost"))
                #expect(try await fetch(session, nginx).bytes == Array("#EXTM3U\n".utf8))
                let url = nginx.url()
                try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                    for _ in 0..<10 { group.addTask { try await session.fetch(url, .small).status } }
                    for try await status in group { #expect(status == .ok) }
                }
            }
            // nginx writes the line of a request after its answer.
            try? await eventually("the last line") { nginx.accessLog.count >= 11 }
            let lines = nginx.accessLog
            #expect(lines.count == 11)
            #expect(lines.allSatisfy { $0.hasSuffix(" GET /list.m3u8 HTTP/2.0 200") })
            #expect(Set(lines.map { $0.prefix { $0 != " " } }).count == 1)
        }
    }

    @Test("A body that may be paused comes over a connection of its own, where TCP holds the sender back")
    func paused() async throws {
        try await withNginx { nginx in
            try await withClient(certificateFile: nginx.certificateFile) { client in
                let session = try client.makeSession(SessionOptions(host: "localhost"))
                #expect(try await fetch(session, nginx).status == .ok)
                var options = TransferOptions.small
                options.byteLimit = Limits.bufferedByteCount + 1
                #expect(try await session.fetch(nginx.url(), options).status == .ok)
                options.acceptCompressed = true
                #expect(try await session.fetch(nginx.url(), options).status == .ok)
            }
            // nginx writes the line of a request after its answer.
            try? await eventually("the last line") { nginx.accessLog.count >= 3 }
            let versions = nginx.accessLog.map { $0.split(separator: " ").dropFirst(3).first }
            #expect(versions == ["HTTP/2.0", "HTTP/1.1", "HTTP/2.0"])
        }
    }

    @Test("A self-signed certificate is refused, and accepted by a session that allows it")
    func unsigned() async throws {
        try await withNginx { nginx in
            try await withClient { client in
                let lax = try client.makeSession(
                    SessionOptions(host: "localhost", allowInvalidCertificate: true))
                #expect(try await fetch(lax, nginx).status == .ok)
                let strict = try client.makeSession(SessionOptions(host: "localhost"))
                let error = await #expect(throws: TransferError.self) {
                    try await strict.fetch(nginx.url(), .small)
                }
                guard case .tls(_, isCertificate: true) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            // nginx writes the line of a request after its answer.
            try? await eventually("the last line") { nginx.accessLog.count >= 1 }
            #expect(nginx.accessLog.count == 1)
        }
    }

    @Test("A trusted certificate of another host is refused")
    func wrongHost() async throws {
        try await withNginx { nginx in
            try await withClient(certificateFile: nginx.certificateFile) { client in
                let session = try client.makeSession(SessionOptions(host: "127.0.0.1"))
                #expect(try await fetch(session, nginx).status == .ok)
                let error = await #expect(throws: TransferError.self) {
                    try await session.fetch(nginx.url("127.0.0.1"), .small)
                }
                guard case .tls(_, isCertificate: true) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test("Plain text instead of TLS is a transient handshake failure")
    func noTLS() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { $1.respond() }
        let server = try ScriptedServer(answer: answer)
        defer { server.stop() }
        try await withClient { client in
            let session = try client.makeSession(SessionOptions(host: "127.0.0.1"))
            let options = TransferOptions(byteLimit: 10, connectTimeout: .milliseconds(500))
            let error = await #expect(throws: TransferError.self) {
                try await session.fetch("https://127.0.0.1:\(server.port)/", options)
            }
            #expect(error == .timedOut(.connecting))
        }
    }
}
