import Concurrency
import Glibc
import HTTP
import HTTPServer
import HTTPSupport
import TestSupport
import Testing

@Suite("Streamed bodies")
struct StreamTests {
    /// Sizes of the pieces a source gives.
    static let sizes: [[Int]] = [
        [], [1], [100, 200, 300], [262_144, 262_144, 17], [Int](repeating: 3_000, count: 200),
    ]

    private static func source(_ sizes: [Int]) -> TestSource {
        TestSource { call, _ in
            if call % 3 == 1 { await Task.yield() }
            return call < sizes.count ? pattern(sizes[call], from: sizes[..<call].reduce(0, +)) : nil
        }
    }

    private static func answer(_ sizes: [Int], length: UInt64?) -> @Sendable (HTTPRequest) -> HTTPAnswer {
        { _ in .now(HTTPResponse(status: .ok, body: .stream(length: length, source(sizes)))) }
    }

    @Test("A known length is announced and sent, twice on a connection", arguments: sizes)
    func known(sizes: [Int]) async throws {
        let count = sizes.reduce(0, +)
        try await withServer(respond: Self.answer(sizes, length: UInt64(count))) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.get("/")
                let response = try await client.response()
                #expect(response.headers["Content-Length"] == "\(count)")
                #expect(response.headers["Transfer-Encoding"] == nil)
                #expect(response.body == pattern(count))
            }
        }
    }

    @Test("An unknown length is sent in chunks, twice on a connection", arguments: sizes)
    func unknown(sizes: [Int]) async throws {
        try await withServer(respond: Self.answer(sizes, length: nil)) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.get("/")
                let response = try await client.response()
                #expect(response.headers["Content-Length"] == nil)
                #expect(response.headers["Transfer-Encoding"] == "chunked")
                #expect(response.body == pattern(sizes.reduce(0, +)))
            }
        }
    }

    @Test("With HTTP/1.0 a body of unknown length ends with the connection") func http10() async throws {
        try await withServer(respond: Self.answer([5_000, 5_000], length: nil)) { server in
            let client = try RawConnection(port: server.port)
            client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let response = try await client.response()
            #expect(response.headers["Transfer-Encoding"] == nil)
            #expect(response.headers["Connection"] == "close")
            #expect(response.body == pattern(10_000))
        }
    }

    @Test(
        "HEAD has the known length and no body, and releases the source",
        arguments: [nil, 7 as UInt64])
    func head(length: UInt64?) async throws {
        let gone = Signal()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let source = TestSource(gone: gone) { _, _ in
                Issue.record("the source was asked")
                return nil
            }
            return .now(HTTPResponse(status: .ok, body: .stream(length: length, source)))
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let response = try await client.response(toHead: true)
            #expect(response.headers["Content-Length"] == length.map(String.init))
            #expect(await client.rest().isEmpty)
            await gone.wait()
        }
    }

    struct Broken: Error {}

    @Test(
        "An error closes the connection: the client sees an incomplete body",
        arguments: [nil, 100_000 as UInt64])
    func error(length: UInt64?) async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let source = TestSource { call, _ in
                if call == 1 { throw Broken() }
                return pattern(1_000)
            }
            return .now(HTTPResponse(status: .ok, body: .stream(length: length, source)))
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            await #expect(throws: RawConnection.Failure.self) { try await client.response() }
        }
    }

    @Test("A source shorter than its length closes the connection; a longer one is cut off")
    func wrongLength() async throws {
        try await withServer(respond: Self.answer([1_000], length: 2_000)) { server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            await #expect(throws: RawConnection.Failure.self) { try await client.response() }
        }
        try await withServer(respond: Self.answer([1_000, 1_000], length: 1_500)) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.get("/")
                #expect(try await client.response().body == pattern(1_500))
            }
        }
    }

    @Test("When the client disconnects while the body is sent, the source is released")
    func leftWhileSending()
        async throws
    {
        let gone = Signal()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let source = TestSource(gone: gone) { _, limit in [UInt8](repeating: 7, count: limit) }
            return .now(HTTPResponse(status: .ok, body: .stream(length: nil, source)))
        }
        try await withServer(respond: respond) { server in
            do {
                let client = try RawConnection(port: server.port)
                client.get("/")
                try await client.skip(100_000)
            }
            await gone.wait()
        }
    }

    @Test("When the client disconnects while the source is waited for, the source is released")
    func leftWhileWaiting() async throws {
        let gone = Signal()
        let asked = Signal()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let source = TestSource(gone: gone) { call, _ in
                if call == 0 { return [1] }
                asked.set()
                try await Task.sleep(for: .seconds(3_600))
                return nil
            }
            return .now(HTTPResponse(status: .ok, body: .stream(length: nil, source)))
        }
        try await withServer(respond: respond) { server in
            do {
                let client = try RawConnection(port: server.port)
                client.get("/")
                await asked.wait()
            }
            await gone.wait()
        }
    }

    @Test("A source without data in time closes the connection") func stalled() async throws {
        let gone = Signal()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let source = TestSource(gone: gone) { call, _ in
                if call == 0 { return [1] }
                try await Task.sleep(for: .seconds(3_600))
                return nil
            }
            return .now(HTTPResponse(status: .ok, body: .stream(length: 10, source)))
        }
        try await withServer(configure: { $0.limits.answer = .milliseconds(50) }, respond: respond) {
            server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            await #expect(throws: RawConnection.Failure.self) { try await client.response() }
            await gone.wait()
        }
    }

    @Test("A source that says in time that nothing has come yet is waited for") func patient() async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let source = TestSource { call, _ in
                if call == 0 { return [1] }
                usleep(100_000)
                return call < 30 ? [] : call == 30 ? [2] : nil
            }
            return .now(HTTPResponse(status: .ok, body: .stream(length: 2, source)))
        }
        // On a thread of its own, so that other tests do not make it late.
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.limits.answer = .seconds(2)
            $0.background = BlockingExecutor(label: "source")
        }
        try await withServer(configure: configure, respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.get("/")
            #expect(try await client.response().body == [1, 2])
        }
    }

    @Test("A slow reader limits the source: no more than the read-ahead is fetched") func bounded()
        async throws
    {
        let most = Counter()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let source = TestSource { call, limit in
                most.set(call)
                return call < 400 ? [UInt8](repeating: 7, count: limit) : nil
            }
            return .now(HTTPResponse(status: .ok, body: .stream(length: nil, source)))
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port, receiveBuffer: 4_096)
            client.get("/")
            try await client.skip(1_000)
            // A hundred megabytes are on offer; the sockets' buffers hold a few.
            #expect(most.value < 100)
        }
    }
}
