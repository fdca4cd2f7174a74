import Concurrency
import Logging
import Postgres
import TestSupport
import Testing

@testable import Backcast

@Suite("The database at the start")
struct DatabaseStartTests {
    private let logger = Logger(label: "test")

    @Test(
        "run and migrate bring the schema up to date, and twice is harmless", arguments: [Role.run, .migrate])
    func applied(role: Role) async throws {
        try await withStart { start in
            try await start.prepare(migrations(1), for: role)
            try await start.prepareSchema(migrations(2), for: role)
            try await start.prepareSchema(migrations(2), for: .serve)
        }
    }

    @Test("record and serve refuse another schema and say what to do", arguments: [Role.record, .serve])
    func refused(role: Role) async throws {
        try await withStart { start in
            for step in 0..<3 {
                if step > 0 { try await start.prepareSchema(migrations(step == 1 ? 1 : 3), for: .migrate) }
                let error = await #expect(throws: ProgramError.self) {
                    try await start.prepareSchema(migrations(2), for: role)
                }
                #expect(error?.description.contains("run `backcast migrate`") == true)
            }
        }
    }

    @Test("waiting for a database that is not there ends with the task")
    func waiting() async throws {
        let folder = try TemporaryFolder()
        let pool = PostgresPool(
            PoolConfiguration(try ConnectionString("postgresql:///x?host=\(folder.path)")), logger: logger)
        let waiting = Task {
            try await DatabaseStart(pool: pool, clock: .system, logger: logger).prepare(
                migrations(1), for: .run)
        }
        waiting.cancel()
        let result = await waiting.result
        #expect(throws: (any Error).self) { try result.get() }
        await pool.close()
    }

    @Test(
        "a database that takes no writes is good enough where no migration is missing",
        arguments: [Role.run, .serve])
    func readOnly(role: Role) async throws {
        try await withStart(options: "-c default_transaction_read_only=on") { start, writing in
            try await writing.prepare(migrations(2), for: .migrate)
            try await start.prepare(migrations(2), for: role)
        }
    }

    @Test("a database that takes no writes is waited for where a migration is missing")
    func readOnlyBefore() async throws {
        try await withStart(options: "-c default_transaction_read_only=on") { start, writing in
            try await writing.prepare(migrations(1), for: .migrate)
            let preparing = Task { try await start.prepare(migrations(2), for: .run) }
            try await Task.sleep(for: .milliseconds(300))
            try await writing.prepare(migrations(2), for: .migrate)
            try await preparing.value
        }
    }

    @Test("a server that does not answer in time, because of a lock, is waited for; `migrate` ends")
    func locked() async throws {
        try await withStart(options: "", statementTimeout: .seconds(1)) { start, other in
            try await other.prepare(migrations(1), for: .migrate)
            let preparing = Task { try await start.prepare(migrations(1), for: .run) }
            try await other.pool.transaction { session in
                _ = try await session.query("LOCK TABLE applied_migration IN ACCESS EXCLUSIVE MODE")
                await #expect(throws: PostgresError.self) {
                    try await start.prepare(migrations(1), for: .migrate)
                }
            }
            try await preparing.value
        }
    }

    @Test("a running program reports once that another version has changed the schema")
    func changedLater() async throws {
        try await withStart { start in
            try await start.prepareSchema(migrations(2), for: .migrate)
            let (clock, lines) = (ManualClock(), LogLines())
            let watch = SchemaWatch(
                migrations: try migrations(2), pool: start.pool, clock: clock.clock, logger: lines.logger)
            let running = Task { await watch.run() }
            try await clock.sleepers()
            #expect(lines.all.isEmpty)
            try await start.prepareSchema(migrations(3), for: .migrate)
            for _ in 0..<2 {
                clock.advance(by: Limits.schemaPause)
                try await clock.sleepers()
            }
            #expect(lines.all.count == 1)
            #expect(lines.all.first?.contains("another schema") == true)
            running.cancel()
            await running.value
        }
    }

    private func migrations(_ count: Int) throws -> Migrations {
        try Migrations(
            (1...count).map { number in
                try Migrations.Migration(
                    name: "000\(number)-t.sql", text: "CREATE TABLE t\(number) (id int PRIMARY KEY);")
            })
    }

    private func withStart(_ body: (DatabaseStart) async throws -> Void) async throws {
        try await withStart(options: "") { _, start in try await body(start) }
    }

    /// Two connections to a database, the first with options of its own.
    private func withStart(
        options: String, statementTimeout: Duration = .seconds(30),
        _ body: (DatabaseStart, DatabaseStart) async throws -> Void,
    ) async throws {
        let uri = try await TestDatabase.shared.database("start")
        let encoded = options.replacing(" ", with: "%20").replacing("=", with: "%3D")
        let separator = uri.contains("?") ? "&" : "?"
        var configurations = try ["\(uri)\(separator)options=\(encoded)", uri].map {
            PoolConfiguration(
                try ConnectionString($0), connectTimeout: .seconds(60), acquireTimeout: .seconds(60))
        }
        configurations[0].statementTimeout = statementTimeout
        let pools = configurations.map { PostgresPool($0, logger: logger) }
        let starts = pools.map { DatabaseStart(pool: $0, clock: .system, logger: logger) }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(starts[0], starts[1]))
        } catch {
            result = .failure(error)
        }
        for pool in pools { await pool.close() }
        try result.get()
    }
}
