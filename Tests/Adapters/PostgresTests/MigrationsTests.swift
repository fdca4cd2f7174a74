import TestSupport
import Testing

@testable import Postgres

@Suite("Migrations")
struct MigrationsTests {
    private static let first = "CREATE TABLE a (n int); INSERT INTO a VALUES (1);"
    private static let second = "ALTER TABLE a ADD m int;"

    private func migrations(_ texts: [String]) throws -> Migrations {
        try Migrations(
            texts.enumerated().map { try .init(name: "000\($0.offset + 1)-step.sql", text: $0.element) })
    }

    @Test("Files are read in the order of their numbers, others are ignored")
    func reading() throws {
        let folder = try TemporaryFolder()
        for name in ["0002-b.sql", "0001-a.sql", "notes.txt"] { try folder.write("SELECT 1", to: name) }
        #expect(try Migrations.reading(folder: folder.path).all.map(\.name) == ["0001-a.sql", "0002-b.sql"])
    }

    @Test(
        "A name without a number, a number twice and a hole are refused",
        arguments: [
            ["one.sql"], ["0001-a.sql", "0001-b.sql"], ["0001-a.sql", "0003-c.sql"], ["0000-a.sql"],
        ])
    func names(names: [String]) async throws {
        let folder = try TemporaryFolder()
        for name in names { try folder.write("SELECT 1", to: name) }
        #expect(await failure { try Migrations.reading(folder: folder.path) }?.kind == .schema)
    }

    @Test("New migrations are applied once, in order")
    func applying() async throws {
        try await withPool { pool in
            #expect(try await migrations([Self.first]).apply(on: pool) == ["0001-step.sql"])
            let both = try migrations([Self.first, Self.second])
            #expect(try await both.apply(on: pool) == ["0002-step.sql"])
            #expect(try await both.apply(on: pool) == [])
            try await both.check(on: pool)
            let rows = try await pool.query("SELECT n, m FROM a")
            #expect(rows.count == 1)
        }
    }

    @Test("A file edited after it was applied is refused by name")
    func edited() async throws {
        try await withPool { pool in
            _ = try await migrations([Self.first]).apply(on: pool)
            let changed = try migrations([Self.first + " ", Self.second])
            for error in [
                await failure { try await changed.apply(on: pool) },
                await failure { try await changed.check(on: pool) },
            ] {
                #expect(error?.kind == .schema)
                #expect(error?.message.contains("0001-step.sql") == true)
            }
        }
    }

    @Test("The check names the first migration that is missing, on either side")
    func checking() async throws {
        try await withPool { pool in
            let (one, both) = (try migrations([Self.first]), try migrations([Self.first, Self.second]))
            #expect(
                await failure { try await one.check(on: pool) }?.message.contains("0001-step.sql") == true)
            _ = try await one.apply(on: pool)
            #expect(
                await failure { try await both.check(on: pool) }?.message.contains("0002-step.sql") == true)
            _ = try await both.apply(on: pool)
            let error = await failure { try await one.check(on: pool) }
            #expect(error?.kind == .schema)
            #expect(error?.message.contains("0002-step.sql") == true)
        }
    }

    @Test("A file that fails half way leaves nothing, and the error names it")
    func failing() async throws {
        try await withPool { pool in
            let broken = try migrations([Self.first, "CREATE TABLE b (n int); SELECT 1 / 0;"])
            let error = await failure { try await broken.apply(on: pool) }
            #expect(error?.message.contains("0002-step.sql") == true)
            #expect(error?.sqlState == "22012")
            #expect(await failure { try await pool.query("SELECT FROM b") }?.isUndefinedTable == true)
            try await migrations([Self.first]).check(on: pool)
        }
    }

    @Test("Two concurrent runners apply each file once")
    func together() async throws {
        try await withPool(size: 2) { pool in
            let both = try migrations([
                Self.first, "-- no transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS i ON a (n);",
            ])
            async let one = both.apply(on: pool)
            async let other = both.apply(on: pool)
            let applied = try await one + other
            #expect(applied == ["0001-step.sql", "0002-step.sql"])
            try await both.check(on: pool)
        }
    }

    /// ```
    /// backup             migration              viewer
    /// reads the table
    ///                    waits for the table
    ///                                           reads the table, and would wait behind the migration
    /// ends
    ///                    is applied
    /// ```
    @Test("A migration that waits for a long reader holds up no other reader, and is applied after it")
    func longReader() async throws {
        try await withPool { pool in
            _ = try await migrations([Self.first]).apply(on: pool)
            let both = try migrations([Self.first, Self.second])
            let applying = try await pool.transaction { backup in
                _ = try await backup.query("LOCK TABLE a IN ACCESS SHARE MODE")
                let applying = Task { try await both.apply(on: pool) }
                try await eventually("the waiting migration") {
                    let waiting: Statement = """
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """
                    return try await pool.query(waiting).count == 1
                }
                try await pool.transaction { viewer in
                    _ = try await viewer.query("SET LOCAL statement_timeout = '30s'")
                    #expect(try await viewer.query("SELECT n FROM a").count == 1)
                }
                return applying
            }
            #expect(try await applying.value == ["0002-step.sql"])
            try await both.check(on: pool)
        }
    }
}
