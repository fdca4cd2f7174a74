import HTTP
import HTTPServer
import HTTPSupport
import TestSupport
import Testing

@Suite("Connections of one address")
struct ConnectionLimitTests {
    /// Opens `count` connections and asks on each; how many are answered.
    private func answered(_ count: Int, proxies: [String] = []) async throws -> Int {
        let networks = try proxies.map { try AddressNetwork.reading($0) }
        let configure: (inout HTTPServer.Configuration) -> Void = {
            // One thread: two that accept at once may both see the last free place.
            $0.threadCount = 1
            $0.limits.connectionsPerAddress = 3
            $0.trustedProxies = networks
        }
        return try await withServer(configure: configure, respond: { .text($0.path) }) { server in
            var clients: [RawConnection] = []
            var count = count
            while count > 0 {
                let client = try RawConnection(port: server.port)
                client.get("/")
                if (try? await client.response().text) == "/" { clients.append(client) }
                count -= 1
            }
            #expect(server.openConnections == clients.count)
            return clients.count
        }
    }

    @Test("More than the limit are refused") func refused() async throws {
        #expect(try await answered(5) == 3)
    }

    @Test("A trusted proxy may open any number") func trusted() async throws {
        #expect(try await answered(5, proxies: ["10.0.0.0/8", "127.0.0.0/8"]) == 5)
        #expect(try await answered(5, proxies: ["10.0.0.0/8"]) == 3)
    }

    @Test("A closed connection no longer counts") func freed() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.threadCount = 1
            $0.limits.connectionsPerAddress = 1
        }
        try await withServer(configure: configure, respond: { .text($0.path) }) { server in
            for _ in 0..<5 {
                let client = try RawConnection(port: server.port)
                client.get("/", fields: "Connection: close\r\n")
                #expect(try await client.response().text == "/")
                _ = await client.rest()
                // The client sees the end a moment before the server has counted it.
                try await eventually("the end of the connection") { server.openConnections == 0 }
            }
        }
    }
}

@Suite("Budgets of clients")
struct ClientBudgetTests {
    /// Endless bytes.
    private static let endless: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
        let source = TestSource { _, limit in [UInt8](repeating: 7, count: limit) }
        return .now(HTTPResponse(status: .ok, body: .stream(length: 1 << 40, source)))
    }

    /// Asks for a stream and returns the status; the connection stays open.
    private func status(_ server: HTTPServer, _ fields: String = "") async throws -> (Int, RawConnection) {
        let client = try RawConnection(port: server.port)
        client.get("/", fields: fields)
        return (try await client.response(toHead: true).status, client)
    }

    @Test("A client has a few streams at a time, all together have more; an ended one no longer counts")
    func streams() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            ($0.limits.streams, $0.limits.streamsPerClient) = (4, 3)
            $0.trustedProxies = (try? [AddressNetwork.reading("127.0.0.0/8")]) ?? []
        }
        try await withServer(configure: configure, respond: Self.endless) { server in
            var clients: [RawConnection] = []
            for (forwarded, expected) in [
                ("9.9.9.9", 200), ("9.9.9.9", 200), ("1.1.1.1, 9.9.9.9", 200), ("9.9.9.9, 127.0.0.2", 503),
                ("8.8.8.8", 200), ("7.7.7.7", 503),
            ] {
                let (status, client) = try await status(server, "X-Forwarded-For: \(forwarded)\r\n")
                #expect(status == expected, "\(forwarded)")
                clients.append(client)
            }
            clients.removeAll()
            try await becomesIdle(server)
            #expect(try await status(server).0 == 200)
        }
    }

    @Test("A client behind a proxy has a few requests at a time; others are answered beside it")
    func forwarded() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.limits.forwardedPerClient = 3
            $0.trustedProxies = (try? [AddressNetwork.reading("127.0.0.0/8")]) ?? []
        }
        try await withServer(configure: configure, respond: Self.endless) { server in
            var clients: [RawConnection] = []
            for (forwarded, expected) in [
                ("9.9.9.9", 200), ("1.1.1.1, 9.9.9.9", 200), ("9.9.9.9, 127.0.0.2", 200), ("9.9.9.9", 503),
                ("8.8.8.8", 200),
            ] {
                let (status, client) = try await status(server, "X-Forwarded-For: \(forwarded)\r\n")
                #expect(status == expected, "\(forwarded)")
                clients.append(client)
            }
            // Requests of the proxies themselves have no such limit.
            for fields in ["", "X-Forwarded-For: 127.0.0.2\r\n"] {
                for _ in 0..<4 {
                    let (status, client) = try await status(server, fields)
                    #expect(status == 200)
                    clients.append(client)
                }
            }
            clients.removeAll()
            try await becomesIdle(server)
            #expect(try await status(server, "X-Forwarded-For: 9.9.9.9\r\n").0 == 200)
        }
    }

    @Test("X-Forwarded-For of anybody but a trusted proxy is not believed")
    func untrusted() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = { $0.limits.streamsPerClient = 1 }
        try await withServer(configure: configure, respond: Self.endless) { server in
            let (first, client) = try await status(server, "X-Forwarded-For: 9.9.9.9\r\n")
            let (second, other) = try await status(server, "X-Forwarded-For: 8.8.8.8\r\n")
            #expect([first, second] == [200, 503])
            _ = (client, other)
        }
    }

    @Test("A handler is told whose budgets a request counts on: behind trusted proxies the client's")
    func client() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.trustedProxies = (try? [AddressNetwork.reading("127.0.0.0/8")]) ?? []
        }
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { .text("\($0.client) \($0.remoteAddress)") }
        try await withServer(configure: configure, respond: respond) { server in
            for (fields, expected) in [
                ("", "127.0.0.1 127.0.0.1"), ("X-Forwarded-For: 9.9.9.9\r\n", "9.9.9.9 9.9.9.9"),
                ("X-Forwarded-For: 2001:db8:1:2:3:4:5:6\r\n", "2001:db8:1:2:: 2001:db8:1:2:3:4:5:6"),
            ] {
                let client = try RawConnection(port: server.port)
                client.get("/", fields: fields)
                #expect(try await client.response().text == expected)
            }
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            client.get("/", fields: "X-Forwarded-For: 9.9.9.9\r\n")
            #expect(try await client.response().text == "127.0.0.1 127.0.0.1")
        }
    }

    @Test("A client that takes its answer too slowly is disconnected; one that waits for an answer is not")
    func slow() async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.limits.minimumRate = ReceiveRate(bytesPerSecond: 1 << 20, over: .milliseconds(300))
        }
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            guard request.path == "/later" else { return Self.endless(request) }
            return .later {
                try? await Task.sleep(for: .seconds(2))
                return HTTPResponse(status: .ok, body: .bytes([1]))
            }
        }
        try await withServer(configure: configure, respond: respond) { server in
            let (_, slow) = try await status(server)
            let patient = try RawConnection(port: server.port)
            patient.get("/later")
            #expect(try await patient.response().body == [1])
            try await eventually("the end of the slow connection") { server.openConnections == 1 }
            _ = slow
        }
    }
    @Test(
        "When more than half of the streams are taken, slow clients are disconnected sooner",
        arguments: [(256, true), (1, false)])
    func full(streams: Int, isKept: Bool) async throws {
        let configure: (inout HTTPServer.Configuration) -> Void = {
            $0.limits.streams = streams
            $0.limits.minimumRateWhenFull = ReceiveRate(bytesPerSecond: 1 << 20, over: .milliseconds(300))
        }
        try await withServer(configure: configure, respond: { Self.endless($0) }) { server in
            let (_, client) = try await status(server)
            if isKept {
                try await Task.sleep(for: .seconds(1))
                #expect(server.openConnections == 1)
            } else {
                try await eventually("the end of the slow connection") { server.openConnections == 0 }
            }
            _ = client
        }
    }
}
