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
