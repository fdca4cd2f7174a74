import HTTP
import Synchronization
import TestSupport
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(30)), .serialized)
struct ConcurrencyTests {
    @Test("Two hundred and forty transfers run at once and each gets its own body")
    func many() async throws {
        let count = 240
        let gate = Gate()
        let arrived = Mutex(0)
        let rest = pattern(40_000)
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            let isLast = arrived.withLock { arrived in
                arrived += 1
                return arrived == count
            }
            if isLast { gate.open() }
            gate.pass()
            connection.respond(body: Array(request.target.utf8) + rest)
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<count {
                    group.addTask {
                        let bytes = try await session.fetch(server.url("/\(number)"), .small).bytes
                        return bytes == Array("/\(number)".utf8) + rest
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test("A session with one connection runs its transfers in turn")
    func turns() async throws {
        let busy = Mutex((now: 0, most: 0))
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            busy.withLock { busy in
                busy.now += 1
                busy.most = max(busy.most, busy.now)
            }
            busy.withLock { $0.now -= 1 }
            connection.respond(body: pattern(300_000))
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeSession(SessionOptions(host: "127.0.0.1", maxConnections: 1))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await session.fetch(server.url("/"), .small).bytes.count }
                }
                for try await count in group { #expect(count == 300_000) }
            }
            #expect(busy.withLock { $0.most } == 1)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("Five hundred transfers, good and bad ones, leave no descriptor behind")
    func descriptors() async throws {
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { request, connection in
            switch request.target {
            case "/0": connection.respond(body: pattern(1000))
            case "/1":
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                connection.interrupt()
            case "/2": connection.redirect(to: "/0")
            default: connection.respond(body: pattern(5000))
            }
        }
        let before = try openDescriptorCount()
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            for round in 0..<500 {
                _ = try? await session.fetch(server.url("/\(round % 4)"), TransferOptions(byteLimit: 2000))
            }
            #expect(server.requests.count == 625)
        }
        // Other suites run beside this one, some with hundreds of sockets for a while.
        try await eventually("descriptors") { try openDescriptorCount() < before + 100 }
    }

    @Test("A paused reader stops the sender, and gets everything when it continues")
    func backPressure() async throws {
        let size = 16 << 20
        let sent = Mutex(0)
        let piece = pattern(1 << 16)
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            for _ in 0..<(size / piece.count) where connection.send(piece) {
                sent.withLock { $0 += piece.count }
            }
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeLocalSession()
            var slow = try await session.open(server.url("/"), TransferOptions(byteLimit: size))
            // The loop goes on with others while this one is paused; by then its buffers are full.
            for _ in 0..<3 {
                _ = try await session.fetch(server.url("/"), TransferOptions(byteLimit: size))
            }
            #expect(sent.withLock { $0 } < 4 * size)
            var received = 0
            while let chunk = try await slow.nextChunk() { received += chunk.count }
            #expect(received == size)
        }
    }

    @Test("The client's own limit holds for all sessions together")
    func clientLimit() async throws {
        let most = Mutex((now: 0, most: 0))
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            most.withLock { most in
                most.now += 1
                most.most = max(most.most, most.now)
            }
            most.withLock { $0.now -= 1 }
            connection.respond()
        }
        let server = try ScriptedServer(answer: answer)
        defer { server.stop() }
        try await withClient(runningTransfers: 2) { client in
            try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<30 {
                    let session = try client.makeLocalSession()
                    group.addTask { try await session.fetch(server.url("/"), .small).status }
                }
                for try await status in group { #expect(status == .ok) }
            }
        }
        #expect(most.withLock { $0.most } <= 2)
        #expect(server.connectionCount <= 2)
    }
}
