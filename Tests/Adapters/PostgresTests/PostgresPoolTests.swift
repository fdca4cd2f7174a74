import TestSupport
import Testing

@testable import Postgres

@Suite("The pool")
struct PostgresPoolTests {
    @Test("Sixty-four queries at once share four connections")
    func sharing() async throws {
        try await withPool(size: 4) { pool in
            let processes = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let row = try await pool.query("SELECT \(number) AS n, pg_backend_pid() AS process")
                            .first
                        return (try row?.decode("n") ?? -1, try row?.decode("process") ?? -1)
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
            }
            #expect(processes.keys.sorted() == Array(0..<64))
            #expect((1...4).contains(Set(processes.values).count))
        }
    }

    /// The test's server has it off.
    @Test("Commits are durable, whatever the server's default is")
    func durability() async throws {
        try await withPool { pool in
            let row = try await pool.query(
                """
                SELECT current_setting('synchronous_commit') AS now, reset_val FROM pg_settings
                WHERE name = 'synchronous_commit'
                """
            ).first
            #expect(try row?.decode("now", as: String.self) == "on")
            #expect(try row?.decode("reset_val", as: String.self) == "off")
        }
    }

    @Test("A connection that does not become free in time is an error of its own")
    func exhaustion() async throws {
        try await withPool(size: 1, change: { $0.acquireTimeout = .milliseconds(20) }) { pool in
            try await pool.withConnection { _ in
                let error = await failure { try await pool.query("SELECT 1") }
                #expect(error?.kind == .exhausted)
                #expect(error?.isTransient == true)
            }
            try await expectAnswer(from: pool)
        }
    }

    @Test("A session that could not begin leaves its connection's time limit as it was")
    func refusedSession() async throws {
        try await withPool(size: 1) { pool in
            // The server refuses a time limit below zero.
            let error = await failure {
                try await pool.withConnection(statementTimeout: .seconds(-60)) { _ in }
            }
            #expect(error?.kind == .refused)
            try await expectAnswer(from: pool)
        }
    }

    @Test("Cancelling a task ends its statement on the server, and the pool keeps working")
    func cancellation() async throws {
        try await withPool(size: 2) { pool in
            let mark = "SELECT pg_sleep(60) /* to be cancelled */"
            let task = Task { await failure { try await pool.query(Statement(verbatim: mark)) } }
            let running: Statement = """
                SELECT 1 FROM pg_stat_activity
                WHERE query = \(mark) AND wait_event = 'PgSleep' AND datname = current_database()
                """
            try await eventually("the statement") { try await !pool.query(running).isEmpty }
            task.cancel()
            #expect(await task.value?.kind == .cancelled)
            try await eventually("its end") { try await pool.query(running).isEmpty }
            try await expectAnswer(from: pool)
        }
    }

    @Test("A connection whose statement was cancelled is used for the next one")
    func cancelledConnection() async throws {
        try await withPool(size: 1) { pool in
            func process() async throws -> Int? {
                try await pool.query("SELECT pg_backend_pid() AS p").first?.decode("p")
            }
            try await withPool(size: 1, on: pool.configuration.connection.secret) { other in
                // On a busy machine the request may end so late that its connection is closed.
                try await eventually("the same connection") {
                    let before = try await process()
                    let task = Task { await failure { try await pool.query("SELECT pg_sleep(60)") } }
                    try await eventually("the statement") {
                        let sleeping: Statement = """
                            SELECT 1 FROM pg_stat_activity
                            WHERE pid = \(before)::int AND wait_event = 'PgSleep'
                            """
                        return try await !other.query(sleeping).isEmpty
                    }
                    task.cancel()
                    #expect(await task.value?.kind == .cancelled)
                    return try await process() == before
                }
            }
        }
    }

    @Test("A task cancelled while it waits for a connection leaves the queue")
    func cancelledWait() async throws {
        try await withPool(size: 1) { pool in
            try await pool.withConnection { _ in
                let task = Task { await failure { try await pool.query("SELECT 1") } }
                task.cancel()
                #expect(await task.value?.kind == .cancelled)
            }
            try await expectAnswer(from: pool)
        }
    }

    @Test("A cancelled transaction is rolled back")
    func cancelledTransaction() async throws {
        try await withPool(size: 1) { pool in
            _ = try await pool.query("CREATE TABLE t (n int)")
            let task = Task {
                await failure {
                    try await pool.transaction { transaction in
                        _ = try await transaction.query("INSERT INTO t VALUES (1)")
                        withUnsafeCurrentTask { $0?.cancel() }
                        _ = try await transaction.query("SELECT pg_sleep(60)")
                    }
                }
            }
            #expect(await task.value?.kind == .cancelled)
            let rows = try await pool.query("SELECT n FROM t")
            #expect(rows.isEmpty)
        }
    }

    @Test("A session keeps its connection, and its locks go with it")
    func sessions() async throws {
        try await withPool(size: 2) { pool in
            let attempt: Statement = "SELECT pg_try_advisory_lock(42) AS held"
            try await pool.withConnection { session in
                let mine = try await session.query(attempt).first
                let theirs = try await pool.query(attempt).first
                #expect(try mine?.decode("held", as: Bool.self) == true)
                #expect(try theirs?.decode("held", as: Bool.self) == false)
            }
            try await eventually("the lock") {
                try await pool.query(attempt).first?.decode("held") ?? false
            }
        }
    }

    @Test("A closed pool refuses")
    func closing() async throws {
        try await withPool { pool in
            try await expectAnswer(from: pool)
            await pool.close()
            #expect(await failure { try await pool.query("SELECT 1") }?.kind == .closed)
        }
    }

    @Test("A server that is not there is a transient error without the password")
    func unreachable() async throws {
        let nowhere = "postgresql://me:hush@/db?host=/nonexistent"
        try await withPool(on: nowhere) { pool in
            let error = await failure { try await pool.query("SELECT 1") }
            #expect(error?.kind == .unreachable)
            #expect(error?.isTransient == true)
            #expect(error?.description.contains("hush") == false)
        }
    }
}
