import HTTP
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(30)))
struct CancellationTests {
    /// Answers nothing, or half a body at `/half`, and says when it has the request and when the client is
    /// gone.
    private func silent(_ asked: Event, _ gone: Event) -> @Sendable (ServedRequest, ServedConnection) -> Void
    {
        { request, connection in
            if request.target == "/half" {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            }
            asked.happen()
            connection.waitForClient()
            gone.happen()
        }
    }

    @Test("Cancelling the task ends the transfer and its connection", arguments: ["/none", "/half"])
    func cancelled(path: String) async throws {
        let (asked, gone) = (Event(), Event())
        try await withServer(answer: silent(asked, gone)) { client, server in
            let session = try client.makeLocalSession()
            let task = Task { try await session.fetch(server.url(path), .small) }
            await asked.wait()
            task.cancel()
            await #expect(throws: TransferError.cancelled) { try await task.value }
            await gone.wait()
        }
    }

    @Test("A released transfer is cancelled")
    func dropped() async throws {
        let (asked, gone) = (Event(), Event())
        try await withServer(answer: silent(asked, gone)) { client, server in
            let transfer = try await client.makeLocalSession().open(server.url("/half"), .small)
            #expect(transfer.head.status == .ok)
            _ = consume transfer
            await gone.wait()
        }
    }

    @Test("A cancelled task does not send a statement")
    func cancelledBefore() async throws {
        let (asked, gone) = (Event(), Event())
        try await withServer(answer: silent(asked, gone)) { client, server in
            let session = try client.makeLocalSession()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await session.fetch(server.url("/"), .small)
            }
            await #expect(throws: TransferError.cancelled) { try await task.value }
        }
    }

    @Test("Closing a session ends its transfers and not those of another")
    func closedSession() async throws {
        let asked = Event()
        let gate = Gate()
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            asked.happen()
            gate.pass()
            connection.respond()
        }
        try await withServer(answer: answer) { client, server in
            let closing = try client.makeLocalSession()
            let staying = try client.makeLocalSession()
            let first = Task { try await closing.fetch(server.url("/"), .small) }
            let second = Task { try await staying.fetch(server.url("/"), .small) }
            await asked.wait()
            await asked.wait()
            closing.close()
            await #expect(throws: TransferError.closed) { try await first.value }
            await expectError(.closed) { _ = try await closing.fetch(server.url("/"), .small) }
            gate.open()
            #expect(try await second.value.status == .ok)
        }
    }

    @Test("Closing the client ends everything, twice is once, and later calls say that it is closed")
    func closedClient() async throws {
        let (asked, gone) = (Event(), Event())
        try await withServer(answer: silent(asked, gone)) { client, server in
            let session = try client.makeLocalSession()
            let task = Task { try await session.fetch(server.url("/"), .small) }
            await asked.wait()
            await client.close()
            await client.close()
            await #expect(throws: TransferError.closed) { try await task.value }
            await expectError(.closed) { _ = try await session.fetch(server.url("/"), .small) }
        }
    }

    @Test(
        "A transfer from a slow server ends, and the error says at which stage",
        arguments: [("/none", TransferStage.head), ("/half", .body)])
    func timeouts(path: String, stage: TransferStage) async throws {
        let (asked, gone) = (Event(), Event())
        try await withServer(answer: silent(asked, gone)) { client, server in
            let session = try client.makeLocalSession()
            let options = TransferOptions(byteLimit: 100, totalTimeout: .seconds(3))
            await expectError(.timedOut(stage)) { _ = try await session.fetch(server.url(path), options) }
            await gone.wait()
        }
    }

    @Test("A body below the low-speed limit is aborted before the total timeout")
    func trickle() async throws {
        let (asked, gone) = (Event(), Event())
        try await withServer(answer: silent(asked, gone)) { client, server in
            let session = try client.makeLocalSession()
            let options = TransferOptions(
                byteLimit: 100, totalTimeout: .seconds(50), lowSpeedLimit: 1000, lowSpeedTime: .seconds(3))
            await expectError(.timedOut(.body)) { _ = try await session.fetch(server.url("/half"), options) }
        }
    }

    @Test("A transfer that cannot begin in time says so")
    func waitingTimeout() async throws {
        let (asked, gone) = (Event(), Event())
        try await withServer(answer: silent(asked, gone)) { client, server in
            let session = try client.makeSession(SessionOptions(host: "127.0.0.1", maxConnections: 1))
            let first = Task { try await session.fetch(server.url("/"), .small) }
            await asked.wait()
            let options = TransferOptions(byteLimit: 100, queueTimeout: .milliseconds(100))
            await expectError(.notStarted) { _ = try await session.fetch(server.url("/"), options) }
            first.cancel()
            await #expect(throws: TransferError.cancelled) { try await first.value }
            #expect(server.requests.count == 1)
        }
    }

    @Test("Time in the queue does not count towards the total timeout")
    func waitingIsNotTransferring() async throws {
        let gate = Gate()
        let asked = Event()
        let answer: @Sendable (ServedRequest, ServedConnection) -> Void = { _, connection in
            asked.happen()
            gate.pass()
            connection.respond()
        }
        try await withServer(answer: answer) { client, server in
            let session = try client.makeSession(SessionOptions(host: "127.0.0.1", maxConnections: 1))
            async let first = session.fetch(server.url("/"), .small)
            await asked.wait()
            async let second = session.fetch(
                server.url("/"),
                TransferOptions(byteLimit: 100, totalTimeout: .seconds(5), queueTimeout: .seconds(50)))
            try await Task.sleep(for: .seconds(6))
            gate.open()
            #expect(try await [first.status, second.status] == [.ok, .ok])
        }
    }
}
