import Concurrency
import Glibc
import HTTP
import HTTPServer
import HTTPSupport
import Synchronization
import Testing

@Suite("Answers made later")
struct LaterAnswerTests {
    /// What a thread that computes looks at.
    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .relaxed) }

        func set() { value.store(true, ordering: .relaxed) }
    }

    @Test("Two hundred connections wait concurrently, and all are answered") func many() async throws {
        let count = 200
        let arrived = Mutex(0)
        let gate = Signal()
        let opened = Task { await gate.wait() }
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            .later {
                let number = arrived.withLock { value in
                    value += 1
                    return value
                }
                if number == count { gate.set() }
                await opened.value
                return HTTPResponse(status: .ok, body: .bytes(Array(request.path.utf8)))
            }
        }
        try await withServer(configure: { $0.limits.connectionsPerAddress = 1_000 }, respond: respond) {
            server in
            for _ in 0..<2 {
                let clients = try (0..<count / 2).map { _ in try RawConnection(port: server.port) }
                let others = try (0..<count / 2).map { _ in try RawConnection(port: server.port) }
                for (index, client) in (clients + others).enumerated() { client.get("/\(index)") }
                for (index, client) in (clients + others).enumerated() {
                    #expect(try await client.response().text == "/\(index)")
                }
            }
            try await becomesIdle(server)
        }
    }

    @Test("An answer that does not wait is made on the calling thread") func immediately() async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            let thread = pthread_self()
            return .later {
                HTTPResponse(
                    status: .ok, body: .bytes(Array((pthread_self() == thread ? "same" : "other").utf8)))
            }
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<3 {
                client.get("/")
                #expect(try await client.response().text == "same")
            }
        }
    }

    @Test("An answer that has waited continues on the background executor") func background() async throws {
        let executor = BackgroundExecutor(threads: 1)
        let own = await Task(executorPreference: executor) { pthread_self() }.value
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            .later {
                // A yield may be over before the task has left its thread.
                if request.path == "/long" { try? await Task.sleep(for: .milliseconds(5)) }
                let text = pthread_self() == own ? "background" : "server"
                return HTTPResponse(status: .ok, body: .bytes(Array(text.utf8)))
            }
        }
        try await withServer(configure: { $0.background = executor }, respond: respond) { server in
            let client = try RawConnection(port: server.port)
            for (path, thread) in [("/long", "background"), ("/short", "server"), ("/long", "background")] {
                client.get(path)
                #expect(try await client.response().text == thread)
            }
        }
    }

    @Test("No answer is lost that is ready while its connection is being suspended") func race() async throws
    {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            .later {
                for _ in 0..<(Int(request.path.dropFirst()) ?? 0) % 4 { await Task.yield() }
                return HTTPResponse(status: .ok, body: .bytes(Array(request.path.utf8)))
            }
        }
        try await withServer(respond: respond) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let client = try RawConnection(port: server.port)
                        for number in 0..<500 {
                            client.get("/\(number)")
                            #expect(try await client.response().text == "/\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await becomesIdle(server)
        }
    }

    @Test("An answer that takes too long becomes 503, its task is cancelled, and the connection stays open")
    func deadline() async throws {
        let cancelled = Signal()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            if request.path == "/quick" { return .text("quick") }
            return .later {
                try? await Task.sleep(for: .seconds(3_600))
                cancelled.set()
                return HTTPResponse(status: .ok)
            }
        }
        try await withServer(configure: { $0.limits.answer = .milliseconds(50) }, respond: respond) {
            server in
            let client = try RawConnection(port: server.port)
            client.get("/slow")
            let response = try await client.response()
            #expect(response.status == 503)
            #expect(response.headers["Retry-After"] == "1")
            await cancelled.wait()
            client.get("/quick")
            #expect(try await client.response().text == "quick")
        }
    }

    @Test("Answers beyond the limit of waiting ones are refused with 503") func bound() async throws {
        let release = Signal()
        let waiting = Task { await release.wait() }
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            .later {
                await waiting.value
                return HTTPResponse(status: .ok)
            }
        }
        try await withServer(configure: { $0.limits.laterResponses = 2 }, respond: respond) { server in
            let clients = try (0..<3).map { _ in try RawConnection(port: server.port) }
            var statuses: [Int] = []
            for client in clients { client.get("/") }
            // Whoever comes third is refused; the others wait until then.
            statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for client in clients { group.addTask { try await client.response().status } }
                let first = try await group.next() ?? 0
                release.set()
                return try await group.reduce(into: [first]) { $0.append($1) }
            }
            #expect(statuses == [503, 200, 200])
        }
    }

    @Test("A short answer that has waited does not go on behind what computes long") func lightweight()
        async throws
    {
        let executor = BackgroundExecutor(threads: 1)
        let (isEnding, isBusy) = (Flag(), Signal())
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            let work: @Sendable () async -> HTTPResponse = {
                await Task.yield()
                return HTTPResponse(status: .ok)
            }
            return request.path == "/lightweight" ? .lightweight(work) : .later(work)
        }
        try await withServer(configure: { $0.background = executor }, respond: respond) { server in
            let long = Task(executorPreference: executor) {
                isBusy.set()
                while !isEnding.isSet { usleep(1000) }
            }
            await isBusy.wait()
            let (later, client) = (
                try RawConnection(port: server.port), try RawConnection(port: server.port)
            )
            later.get("/later")
            client.get("/lightweight")
            #expect(try await client.response().status == 200)
            isEnding.set()
            await long.value
            #expect(try await later.response().status == 200)
        }
    }

    @Test("Reserved answers are made when all other places are taken, and are bounded by their own")
    func reserved() async throws {
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            let work: @Sendable () async -> HTTPResponse = {
                await Task.yield()
                return HTTPResponse(status: .ok)
            }
            return switch request.path {
            case "/reserved": .reserved(work)
            case "/lightweight": .lightweight(work)
            default: .later(work)
            }
        }
        for (later, reserved) in [(0, 1), (1, 0)] {
            try await withServer(
                configure: { ($0.limits.laterResponses, $0.limits.reservedResponses) = (later, reserved) },
                respond: respond
            ) { server in
                let client = try RawConnection(port: server.port)
                client.get("/")
                #expect(try await client.response().status == (later == 0 ? 503 : 200))
                client.get("/reserved")
                #expect(try await client.response().status == (reserved == 0 ? 503 : 200))
                client.get("/lightweight")
                #expect(try await client.response().status == 200)
            }
        }
    }

    @Test("When the client disconnects, the task is cancelled") func left() async throws {
        let started = Signal()
        let cancelled = Signal()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in
            .later {
                started.set()
                try? await Task.sleep(for: .seconds(3_600))
                cancelled.set()
                return HTTPResponse(status: .ok)
            }
        }
        let finished = Mutex<[RequestSummary]>([])
        let over = Signal()
        try await withServer(
            configure: {
                $0.onFinished = { summary in
                    finished.withLock { $0.append(summary) }
                    over.set()
                }
            }, respond: respond,
        ) { server in
            do {
                let client = try RawConnection(port: server.port)
                client.get("/x")
                await started.wait()
            }
            await cancelled.wait()
            await over.wait()
            let summaries = finished.withLock { $0 }
            #expect(summaries.count == 1)
            #expect(summaries.first?.path == "/x")
            #expect(summaries.first?.status == nil)
            #expect(summaries.first?.isComplete == false)
        }
    }
}
