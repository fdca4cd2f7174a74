import HTTP
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(30)))
struct RedirectTests {
    @Test("A redirect is followed, and its target is the base for relative URLs")
    func followed() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            switch request.target {
            case "/a/start": connection.redirect(to: "../edge/s=1/list.m3u8?t=2")
            default: connection.respond(body: [7])
            }
        }
        try await withServer(answer: answer) { client, server in
            let fetched = try await client.makeLocalSession().fetch(server.url("/a/start"), .small)
            #expect(fetched.bytes == [7])
            #expect(fetched.head.effectiveURL == server.url("/edge/s=1/list.m3u8?t=2"))
            #expect(server.connectionCount == 1)
        }
    }

    @Test(
        "A redirect is followed although its own body does not end",
        arguments: ["", "Transfer-Encoding: chunked\r\n", "Content-Length: 100\r\n"])
    func endlessBody(field: String) async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            guard request.target == "/start" else { return connection.respond(body: [7]) }
            connection.send("HTTP/1.1 302 Found\r\nLocation: /target\r\n\(field)\r\n")
            connection.waitForClient()
        }
        try await withServer(answer: answer) { client, server in
            // Without it the client waits for ten seconds without a byte.
            let options = TransferOptions(byteLimit: 100, totalTimeout: .seconds(6))
            let fetched = try await client.makeLocalSession().fetch(server.url("/start"), options)
            #expect(fetched.bytes == [7])
        }
    }

    @Test("Five redirects are followed, but not six and not a loop", arguments: [5, 6, Int.max])
    func count(redirects: Int) async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            let left = Int(request.target.dropFirst()) ?? 0
            if left == 0 {
                connection.respond()
            } else {
                connection.redirect(to: "/\(redirects == .max ? left : left - 1)")
            }
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            let url = server.url("/\(redirects)")
            if redirects == 5 {
                #expect(try await session.fetch(url, .small).status == .ok)
            } else {
                await expectError(.tooManyRedirects(limit: 5)) { _ = try await session.fetch(url, .small) }
                #expect(server.requests.count == 6)
            }
        }
    }

    @Test("Headers of the source are sent to its own host and listed ones, not to a redirect's target")
    func headersPerHost() async throws {
        let foreign = try ScriptedServer(on: "127.0.0.2") { $1.respond() }
        defer { foreign.stop() }
        let target = foreign.url("/", host: "127.0.0.2")
        try await withServer(answer: { $1.redirect(to: target) }) { client, server in
            let headers: HTTPHeaders = ["Authorization": "Bearer s", "Cookie": "k=v", "X-Key": "1"]
            for hosts in [[], ["127.0.0.2"], ["127.0.0.2:\(foreign.port)"]] {
                let session = try client.makeSession(
                    SessionOptions(
                        source: server.url("/"), headers: headers,
                        headerHosts: hosts.compactMap { HeaderHost($0) }
                    ))
                _ = try await session.fetch(server.url("/"), .small)
            }
            for name in ["authorization", "cookie", "x-key"] {
                #expect(server.requests.map { $0.fields[name] != nil } == [true, true, true])
                #expect(foreign.requests.map { $0.fields[name] != nil } == [false, false, true])
            }
        }
    }

    @Test("User info is not sent to another host")
    func userInfo() async throws {
        let foreign = try ScriptedServer(on: "127.0.0.2") { $1.respond() }
        defer { foreign.stop() }
        let target = foreign.url("/", host: "127.0.0.2")
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            connection.redirect(to: request.target == "/" ? "/again" : target)
        }
        try await withServer(answer: answer) { client, server in
            _ = try await client.makeLocalSession().fetch("http://u:p@127.0.0.1:\(server.port)/", .small)
            #expect(server.requests.map { $0.fields["authorization"] != nil } == [true, true])
            #expect(foreign.requests.map { $0.fields["authorization"] } == [nil])
        }
    }

    @Test("A redirect to another scheme is refused", arguments: ["file", "ftp", "gopher"])
    func schemes(scheme: String) async throws {
        try await withServer(answer: { $1.redirect(to: "\(scheme)://127.0.0.1/etc/passwd") }) {
            client, server in
            let session = try client.makeLocalSession()
            await expectError(.schemeRefused(scheme)) { _ = try await session.fetch(server.url("/"), .small) }
        }
    }

    @Test("A redirect's own body is not delivered and does not count towards the limit")
    func redirectBody() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            switch request.target {
            case "/small": connection.respond("302 Found", ["Location: /end"], body: pattern(500))
            case "/endless":
                connection.send("HTTP/1.1 302 Found\r\nLocation: /end\r\n\r\n")
                while connection.send(pattern(1000)) {}
            default: connection.respond(body: [1])
            }
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            for path in ["/small", "/endless"] {
                #expect(
                    try await session.fetch(server.url(path), TransferOptions(byteLimit: 16)).bytes == [1])
            }
        }
    }

    @Test("A redirect without a Location is an ordinary answer")
    func noLocation() async throws {
        try await withServer(answer: { $1.respond("302 Found", body: [3]) }) { client, server in
            let fetched = try await client.makeLocalSession().fetch(server.url("/"), .small)
            #expect(fetched.status == .found)
            #expect(fetched.bytes == [3])
        }
    }
}
