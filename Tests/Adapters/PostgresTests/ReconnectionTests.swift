import Concurrency
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite("A server that stops and starts again")
struct ReconnectionTests {
    @Test("A running statement is lost, others wait for the restart, then everything works again")
    func restart() async throws {
        let cluster = try await PostgresCluster()
        try await withPool(size: 3, on: cluster.uri()) { pool in
            try await expectAnswer(from: pool)
            let running = Task { await failure { try await pool.query("SELECT pg_sleep(60)") } }
            let open = Task {
                await failure {
                    try await pool.transaction { transaction in
                        _ = try await transaction.query("SELECT pg_sleep(60)")
                    }
                }
            }
            try await eventually("the statements") {
                let sleeping: Statement = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                return try await pool.query(sleeping).count == 2
            }
            try await cluster.stop()
            let (lost, undone) = (await running.value, await open.value)
            #expect(lost?.kind == .connectionLost(mayHaveExecuted: true))
            #expect(undone?.kind == .connectionLost(mayHaveExecuted: false))
            #expect(await failure { try await pool.query("SELECT 1") }?.kind == .unreachable)
            try await cluster.start()
            try await expectAnswer(from: pool)
        }
    }

    @Test(
        "A server that stands still also takes cancel requests: a cancelled statement ends at its deadline",
        arguments: [2, 0])
    func standstill(cancelLimit: Int) async throws {
        let cluster = try await PostgresCluster()
        let slots = CancelSlots(limit: cancelLimit)
        try await withPool(
            size: 1, on: cluster.uri(),
            change: {
                $0.statementTimeout = .seconds(1)
                $0.cancelSlots = slots
            }
        ) { pool in
            // Only the deadline of this side is left.
            _ = try await pool.query("SET statement_timeout = 0")
            let ended = Counter()
            let task = Task {
                defer { ended.add() }
                return await failure { try await pool.query("SELECT pg_sleep(60)") }
            }
            try await eventually("the statement") {
                let sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                return try await !cluster.run(sql: sleeping).isEmpty
            }
            try await cluster.whileStandingStill {
                task.cancel()
                try await eventually("its end", within: .seconds(60)) { ended.value == 1 }
                // One request was sent, and it waits.
                #expect(slots.take() == (cancelLimit == 2))
                #expect(!slots.take())
            }
            #expect(await task.value?.kind == .connectionLost(mayHaveExecuted: true))
            try await expectAnswer(from: pool)
            if cancelLimit == 2 { try await eventually("the end of the request") { slots.take() } }
        }
    }

    @Test(
        "A request that a server which stands still does not receive ends at its deadline, or when cancelled",
        arguments: [false, true])
    func largeRequest(isCancelled: Bool) async throws {
        let cluster = try await PostgresCluster()
        try await withPool(
            size: 1, on: cluster.uri(), change: { $0.statementTimeout = .seconds(isCancelled ? 600 : 1) }
        ) { pool in
            let text = String(repeating: "a", count: 16 << 20)
            func length(of text: String) async throws -> Int? {
                try await pool.query("SELECT length(\(text)) AS length").first?.decode("length")
            }
            // From now on the statement is prepared.
            #expect(try await length(of: "a") == 1)
            try await cluster.whileStandingStill {
                let ended = Counter()
                let task = Task {
                    defer { ended.add() }
                    return await failure { _ = try await length(of: text) }
                }
                if isCancelled {
                    // It is being sent by then.
                    try await Task.sleep(for: .milliseconds(500))
                    task.cancel()
                }
                try await eventually("its end", within: .seconds(60)) { ended.value == 1 }
                let kind = await task.value?.kind
                #expect(kind == .connectionLost(mayHaveExecuted: true) || isCancelled && kind == .cancelled)
            }
            #expect(try await length(of: text) == text.utf8.count)
        }
    }

    @Test("An idle connection that was closed is replaced before anything is sent")
    func idleLoss() async throws {
        try await withPool(size: 1) { pool in
            let before: Int? = try await pool.query("SELECT pg_backend_pid() AS p").first?.decode("p")
            try await withPool(on: pool.configuration.connection.secret) { other in
                _ = try await other.query("SELECT pg_terminate_backend(\(before)::int, 5000)")
            }
            let after: Int? = try await pool.query("SELECT pg_backend_pid() AS p").first?.decode("p")
            #expect(before != nil && after != nil && before != after)
        }
    }

    @Test("A transaction whose connection broke fails, and the next one works")
    func lossWithinTransaction() async throws {
        try await withPool(size: 1) { pool in
            let error = await failure {
                try await pool.transaction { transaction in
                    _ = try? await transaction.query("SELECT pg_terminate_backend(pg_backend_pid())")
                    _ = try await transaction.query("SELECT 1")
                }
            }
            #expect(error?.kind == .connectionLost(mayHaveExecuted: false))
            try await expectAnswer(from: pool)
        }
    }

    @Test("A connection to a server that refuses to write is closed, and the next one may be to another")
    func readOnly() async throws {
        try await withPool(size: 1) { pool in
            for isTransaction in [false, true] {
                _ = try await pool.query("SET default_transaction_read_only = on")
                let writing: Statement = "CREATE TABLE \(identifier: "t\(isTransaction)") (n int)"
                let error = await failure {
                    if isTransaction {
                        try await pool.transaction { _ = try await $0.query(writing) }
                    } else {
                        _ = try await pool.query(writing)
                    }
                }
                #expect(error?.sqlState == "25006")
                _ = try await pool.query(writing)
            }
        }
    }

    @Test("Where all servers only read, none will do, unless reading is enough")
    func standbys() async throws {
        let cluster = try await PostgresCluster()
        try await cluster.run(sql: "ALTER DATABASE postgres SET default_transaction_read_only = on")
        let folder = try #require(cluster.uri().split(separator: "=").last)
        let both = "\(cluster.uri()),\(folder)"
        try await withPool(size: 1, on: both) { pool in
            #expect(await failure { try await pool.query("SELECT 1") }?.kind == .unreachable)
        }
        try await withPool(size: 1, on: both, change: { $0.readsFromStandby = true }) { pool in
            try await expectAnswer(from: pool)
        }
        for one in [cluster.uri(), both + "&target_session_attrs=any"] {
            try await withPool(size: 1, on: one) { try await expectAnswer(from: $0) }
        }
    }

    @Test("A pool that reads from a standby returns to a server that can write, with all its connections")
    func returned() async throws {
        let cluster = try await PostgresCluster()
        func set(readOnly: String) async throws {
            try await cluster.run(
                sql: """
                    SET transaction_read_only = off;
                    ALTER DATABASE postgres SET default_transaction_read_only = \(readOnly)
                    """)
        }
        func isReadOnly(_ pool: PostgresPool) async throws -> String? {
            try await pool.query("SELECT pg_sleep(0.2), current_setting('transaction_read_only') AS r").first?
                .decode("r")
        }
        try await set(readOnly: "on")
        let folder = try #require(cluster.uri().split(separator: "=").last)
        try await withPool(
            size: 2, on: "\(cluster.uri()),\(folder)",
            change: {
                $0.readsFromStandby = true
                $0.standbyInterval = .milliseconds(100)
            }
        ) { pool in
            let both = { () async throws -> [String?] in
                async let (one, other) = (isReadOnly(pool), isReadOnly(pool))
                return try await [one, other]
            }
            #expect(try await both() == ["on", "on"])
            #expect(try await both() == ["on", "on"])
            try await set(readOnly: "off")
            // The look for the primary takes a second at most: a slow machine may need another one.
            try await eventually("the return") { try await both() == ["off", "off"] }
        }
    }

    @Test(
        "In each interval one connection of the pool looks for the primary; the others follow once it is found"
    )
    func looks() {
        let watch = PrimaryWatch()
        let begin = SteadyInstant.now
        let isDue = { (seconds: Int, found: Int) in
            watch.isDue(since: found, every: .seconds(10), now: begin + .seconds(seconds))
        }
        #expect([0, 1, 9, 10, 11, 19, 20].filter { isDue($0, 0) } == [10, 20])
        watch.noteFound()
        #expect(isDue(21, 0) && isDue(21, 0))
        #expect(!isDue(22, watch.found))
    }

    @Test("A server that takes connections and answers none leaves those behind it their time")
    func silentServer() async throws {
        let silent = try SilentServer()
        defer { withExtendedLifetime(silent) {} }
        let cluster = try await PostgresCluster()
        let folder = try #require(cluster.uri().split(separator: "=").last)
        let both = "postgresql://postgres@/postgres?host=127.0.0.1,\(folder)&port=\(silent.port),5432"
        func pool(_ uri: String, reading: Bool, _ body: (PostgresPool) async throws -> Void) async throws {
            try await withPool(
                size: 1, on: uri,
                change: {
                    $0.connectTimeout = .seconds(3)
                    $0.readsFromStandby = reading
                }, body)
        }
        for uri in [both, both + "&target_session_attrs=prefer-standby"] {
            try await pool(uri, reading: false) { try await expectAnswer(from: $0) }
        }
        try await cluster.run(sql: "ALTER DATABASE postgres SET default_transaction_read_only = on")
        try await pool(both, reading: false) { pool in
            let error = await failure { try await pool.query("SELECT 1") }
            #expect(error?.kind == .unreachable)
            #expect(error?.message.contains("no answer from 127.0.0.1") ?? false)
        }
        try await pool(both, reading: true) { try await expectAnswer(from: $0) }
    }

    @Test(
        "A password that a server refuses is not sent to the next one",
        arguments: ["any", "prefer-standby"])
    func refusedPassword(session: String) async throws {
        let server = try PasswordServer()
        let uri = """
            postgresql://postgres:secret@127.0.0.1:\(server.port),127.0.0.1:\(server.port)/postgres\
            ?sslmode=disable&gssencmode=disable&target_session_attrs=\(session)
            """
        try await withPool(size: 1, on: uri) { pool in
            let error = await failure { try await pool.query("SELECT 1") }
            #expect(error?.kind == .unreachable)
            #expect(error?.message.contains("no such password") ?? false)
        }
        #expect(server.refusals == 1)
    }
}

/// A server that asks for a password and refuses each.
private final class PasswordServer {
    private let server: SilentServer
    private let counter = Counter()

    init() throws {
        server = try SilentServer()
        let (socket, counter) = (server.socket, counter)
        Thread { Self.serve(socket, counter) }.start()
    }

    var port: UInt16 { server.port }
    var refusals: Int { counter.value }

    /// Ends the thread, which closing the socket would not.
    deinit { shutdown(server.socket, Int32(SHUT_RDWR)) }

    private static func serve(_ socket: Int32, _ counter: Counter) {
        while case let client = accept(socket, nil, nil), client >= 0 {
            defer { close(client) }
            var bytes = [UInt8](repeating: 0, count: 1024)
            guard read(client, &bytes, bytes.count) > 0 else { continue }
            // AuthenticationCleartextPassword.
            let question: [UInt8] = [0x52, 0, 0, 0, 8, 0, 0, 0, 3]
            guard write(client, question, question.count) > 0, read(client, &bytes, bytes.count) > 0
            else { continue }
            let text = ["SFATAL", "VFATAL", "C28P01", "Mno such password", ""].flatMap { $0.utf8 + [0] }
            let refusal = [0x45, 0, 0, 0, UInt8(text.count + 4)] + text
            counter.add()
            _ = write(client, refusal, refusal.count)
        }
    }
}

/// A server that listens and never accepts a connection.
private final class SilentServer {
    let port: UInt16
    let socket: Int32

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, $0, &length) == 0
            }
        }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { throw TestFailure("cannot listen") }
    }

    deinit { close(socket) }
}
