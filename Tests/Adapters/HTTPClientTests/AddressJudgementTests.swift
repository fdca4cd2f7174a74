import HTTP
import Synchronization
import Testing

@testable import HTTPClient

/// The address policy on real connections.
///
/// Loopback addresses stand for others by another classification.
@Suite(.timeLimit(.minutes(30)))
struct AddressJudgementTests {
    /// 127.0.0.1 counts as a public address, everything else as private.
    private let firstIsPublic = AddressPolicy { $0 == IPAddress("127.0.0.1") ? .public : .private }

    @Test("A public source is not redirected to a private address, a private source is")
    func redirects() async throws {
        let inside = try ScriptedServer(on: "127.0.0.2") { $1.respond(body: [9]) }
        defer { inside.stop() }
        let target = inside.url("/", host: "127.0.0.2")
        try await withServer(answer: { $1.redirect(to: target) }) { client, server in
            let outside = try client.makeSession(
                SessionOptions(host: "127.0.0.1", addressPolicy: firstIsPublic))
            await expectError(.addressRefused(host: "127.0.0.2", address: "127.0.0.2", .privateFromPublic)) {
                _ = try await outside.fetch(server.url("/"), .small)
            }
            #expect(inside.connectionCount == 0)
            let bytes = try await withClient { local in
                try await local.makeLocalSession().fetch(server.url("/"), .small).bytes
            }
            #expect(bytes == [9])
        }
    }

    @Test("A host that was public once stays so in other sessions, and its owner hears of it once")
    func otherSessions() async throws {
        let inside = try ScriptedServer(on: "127.0.0.2") { $1.respond() }
        defer { inside.stop() }
        let heard = Mutex<[String]>([])
        let hosts = PublicHosts(known: ["moved.example"]) { host in heard.withLock { $0.append(host) } }
        let server = try ScriptedServer { $1.respond() }
        defer { server.stop() }
        let names = ["moved.example:\(inside.port):127.0.0.2"]
        try await withClient(pinnedNames: names, publicHosts: hosts) { client in
            for _ in 0..<2 {
                let first = try client.makeSession(
                    SessionOptions(source: server.url("/"), addressPolicy: firstIsPublic))
                #expect(try await first.fetch(server.url("/"), .small).status == .ok)
            }
            #expect(heard.withLock { $0 } == ["127.0.0.1"])
            // The name was public in an earlier run and points inside now.
            let moved = inside.url("/", host: "moved.example")
            let session = try client.makeSession(
                SessionOptions(source: moved, addressPolicy: firstIsPublic))
            await expectError(
                .addressRefused(host: "moved.example", address: "127.0.0.2", .privateFromPublic)
            ) {
                _ = try await session.fetch(moved, .small)
            }
            #expect(inside.connectionCount == 0)
        }
    }

    @Test("A public source cannot refer to a private segment, by name or by address")
    func segments() async throws {
        let inside = try ScriptedServer(on: "127.0.0.2") { $1.respond() }
        defer { inside.stop() }
        let server = try ScriptedServer { $1.respond() }
        defer { server.stop() }
        try await withClient(pinnedNames: ["inside.example:\(inside.port):127.0.0.2"]) { client in
            let session = try client.makeSession(
                SessionOptions(host: "127.0.0.1", addressPolicy: firstIsPublic))
            #expect(try await session.fetch(server.url("/"), .small).status == .ok)
            for host in ["inside.example", "127.0.0.2", "2130706434", "0x7f.2"] {
                let error = await #expect(throws: TransferError.self) {
                    try await session.fetch(inside.url("/", host: host), .small)
                }
                guard case .addressRefused(_, "127.0.0.2", .privateFromPublic) = error else {
                    Issue.record("\(host): \(String(describing: error))")
                    continue
                }
            }
            #expect(inside.connectionCount == 0)
        }
    }

    @Test("A connection that another session opened is checked again before it is used")
    func reuse() async throws {
        try await withServer(answer: { $1.respond() }) { client, server in
            #expect(try await client.makeLocalSession().fetch(server.url("/"), .small).status == .ok)
            let strict = try client.makeSession(
                SessionOptions(
                    host: "127.0.0.1",
                    addressPolicy: AddressPolicy(allowList: try AllowList.reading("10.0.0.0/8"))))
            await expectError(.addressRefused(host: "127.0.0.1", address: "127.0.0.1", .notAllowed)) {
                _ = try await strict.fetch(server.url("/"), .small)
            }
            #expect(server.requests.count == 1)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A source cannot be the service itself")
    func ownPort() async throws {
        try await withServer(answer: { $1.respond() }) { client, server in
            let session = try client.makeSession(
                SessionOptions(host: "127.0.0.1", addressPolicy: AddressPolicy(ownPorts: [server.port])))
            for host in ["127.0.0.1", "127.0.0.2", "0.0.0.0"] {
                let error = await #expect(throws: TransferError.self) {
                    try await session.fetch(server.url("/", host: host), .small)
                }
                guard case .addressRefused(_, _, .ownPort) = error else {
                    Issue.record("\(host): \(String(describing: error))")
                    continue
                }
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test("Metadata and link-local addresses are refused before anything is sent")
    func defaults() async throws {
        try await withClient(pinnedNames: ["name.example:80:169.254.169.254"]) { client in
            let session = try client.makeSession(SessionOptions(host: "tv.example"))
            for host in ["169.254.169.254", "name.example"] {
                let error = await #expect(throws: TransferError.self) {
                    try await session.fetch("http://\(host)/latest", .small)
                }
                guard case .addressRefused(_, _, .metadata) = error else {
                    Issue.record("\(host): \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test("A source that requires one address family does not reuse connections of the other")
    func families() async throws {
        let server = try ScriptedServer { $1.respond() }
        defer { server.stop() }
        try await withClient(pinnedNames: ["tv.example:\(server.port):127.0.0.1"]) { client in
            let four = try client.makeSession(SessionOptions(host: "tv.example", ipVersion: .v4))
            #expect(try await four.fetch(server.url("/", host: "tv.example"), .small).status == .ok)
            let six = try client.makeSession(SessionOptions(host: "tv.example", ipVersion: .v6))
            let error = await #expect(throws: TransferError.self) {
                try await six.fetch(server.url("/", host: "tv.example"), .small)
            }
            #expect(error != nil)
            #expect(server.requests.count == 1)
        }
    }
}
