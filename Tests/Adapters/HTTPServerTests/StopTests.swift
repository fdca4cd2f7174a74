import Glibc
import HTTP
import HTTPServer
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@Suite("Stopping")
struct StopTests {
    @Test("Running answers are finished, and close their connections") func drained() async throws {
        let started = Signal()
        let release = Signal()
        let released = Task { await release.wait() }
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            .later {
                started.set()
                await released.value
                return HTTPResponse(status: .ok, body: .bytes([65]))
            }
        }
        try await withServer(respond: respond) { server in
            let idle = try RawConnection(port: server.port)
            let client = try RawConnection(port: server.port)
            client.get("/")
            await started.wait()
            async let stopped: Void = server.stop(drain: .seconds(120))
            #expect(await idle.rest().isEmpty)
            release.set()
            let response = try await client.response()
            #expect(response.text == "A")
            #expect(response.headers["Connection"] == "close")
            await stopped
            #expect(throws: RawConnection.Failure.self) { try RawConnection(port: server.port) }
        }
    }

    @Test("Answers that are not ready in time are aborted, and their tasks cancelled") func cut() async throws
    {
        let gone = Signal()
        let cancelled = Signal()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            if request.path == "/stream" {
                let source = TestSource(gone: gone) { _, _ in
                    try await Task.sleep(for: .seconds(3_600))
                    return nil
                }
                return .now(HTTPResponse(status: .ok, body: .stream(length: nil, source)))
            }
            return .later {
                try? await Task.sleep(for: .seconds(3_600))
                cancelled.set()
                return HTTPResponse(status: .ok)
            }
        }
        try await withServer(respond: respond) { server in
            let clients = try (0..<2).map { _ in try RawConnection(port: server.port) }
            clients[0].get("/stream")
            clients[1].get("/later")
            try await eventually("both requests") { server.requestsInFlight == 2 }
            await server.stop(drain: .milliseconds(30))
            await cancelled.wait()
            await gone.wait()
            #expect(server.openConnections == 0)
            #expect(server.requestsInFlight == 0)
            for client in clients { _ = await client.rest() }
        }
    }

    @Test("Running ends with its task, and a second stop has no effect") func run() async throws {
        try await withServer(respond: { .text($0.path) }) { server in
            let running = Task { await server.run(drain: .zero) }
            let client = try RawConnection(port: server.port)
            client.get("/")
            #expect(try await client.response().text == "/")
            running.cancel()
            await running.value
            await server.stop(drain: .zero)
            #expect(throws: RawConnection.Failure.self) { try RawConnection(port: server.port) }
        }
    }

    @Test("Stopping under load neither hangs nor crashes") func underLoad() async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            let source = TestSource { call, limit in
                await Task.yield()
                return call < 3 ? [UInt8](repeating: 7, count: limit) : nil
            }
            return .later { HTTPResponse(status: .ok, body: .stream(length: nil, source)) }
        }
        for _ in 0..<10 {
            try await withServer(respond: respond) { server in
                let clients = try (0..<20).map { _ in try RawConnection(port: server.port) }
                for client in clients { client.get("/") }
                try await clients[0].skip(1)
                await server.stop(drain: .zero)
                for client in clients { _ = await client.rest() }
            }
        }
    }
}
