import HTTP
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(30)))
struct CookieTests {
    /// Gives a cookie at `/enter` and wants it everywhere else.
    private let guarded: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
        if request.target == "/enter" {
            connection.respond("302 Found", ["Set-Cookie: key=abc; Path=/", "Location: /list"])
        } else {
            connection.respond(
                request.fields["cookie"]?.contains("key=abc") == true ? "200 OK" : "403 Forbidden")
        }
    }

    @Test("A cookie is sent from the redirect that sets it on, by every later transfer of the session")
    func kept() async throws {
        try await withServer(answer: guarded) { client, server in
            let session = try client.makeLocalSession()
            #expect(try await session.fetch(server.url("/list"), .small).status.rawValue == 403)
            #expect(try await session.fetch(server.url("/enter"), .small).status == .ok)
            #expect(try await session.fetch(server.url("/segment"), .small).status == .ok)
        }
    }

    @Test("Another session does not have it, even on the same connection")
    func separate() async throws {
        try await withServer(answer: guarded) { client, server in
            _ = try await client.makeLocalSession().fetch(server.url("/enter"), .small)
            let list = try await client.makeLocalSession().fetch(server.url("/list"), .small)
            #expect(list.status.rawValue == 403)
        }
    }

    @Test("Another host does not receive it")
    func hosts() async throws {
        let foreign = try ScriptedServer(on: "127.0.0.2") { $1.respond() }
        defer { foreign.stop() }
        try await withServer(answer: guarded) { client, server in
            let session = try client.makeLocalSession()
            _ = try await session.fetch(server.url("/enter"), .small)
            _ = try await session.fetch(foreign.url("/", host: "127.0.0.2"), .small)
            #expect(foreign.requests.map { $0.fields["cookie"] } == [nil])
        }
    }

    @Test("A source that sets ever new cookies fills no memory", arguments: ["200 OK", "302 Found"])
    func bounded(status: String) async throws {
        let answers = 40
        // Those of an answer are sent to a path of their own, so that they can be asked for apart.
        let giving: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            guard request.target.hasPrefix("/give/") else { return connection.respond() }
            let number = request.target.dropFirst(6)
            let cookies = (0..<50).map { "Set-Cookie: n\($0)-\(number)=v; Path=/held/\(number)" }
            connection.respond(status, cookies + ["Location: /list"])
        }
        try await withServer(answer: giving) { client, server in
            let session = try client.makeLocalSession()
            for number in 0..<answers { _ = try await session.fetch(server.url("/give/\(number)"), .small) }
            for number in 0..<answers { _ = try await session.fetch(server.url("/held/\(number)"), .small) }
            let held = server.requests.suffix(answers)
                .map { $0.fields["cookie"]?.split(separator: "; ").count ?? 0 }
            #expect(held.last == 50)
            #expect(held.reduce(0, +) <= 2 * Limits.cookies)
        }
    }

    @Test("A source that sets the same cookie with every answer does not lose it")
    func renewed() async throws {
        let giving: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            connection.respond("200 OK", ["Set-Cookie: key=abc; Path=/"])
        }
        try await withServer(answer: giving) { client, server in
            let session = try client.makeLocalSession()
            for _ in 0..<2_000 { _ = try await session.fetch(server.url("/"), .small) }
            let sent = server.requests.map { $0.fields["cookie"] }
            #expect(sent.count == 2_000 && sent.dropFirst().allSatisfy { $0 == "key=abc" })
        }
    }

    @Test("Configured cookies and those of the jar are sent in one field")
    func joined() async throws {
        try await withServer(answer: guarded) { client, server in
            let session = try client.makeSession(
                SessionOptions(source: server.url("/"), headers: ["Cookie": "user=1"]))
            _ = try await session.fetch(server.url("/enter"), .small)
            let pairs = server.requests.last?.fields["cookie"]?.split(separator: "; ").map(String.init)
            #expect(Set(pairs ?? []) == ["key=abc", "user=1"])
        }
    }
}
