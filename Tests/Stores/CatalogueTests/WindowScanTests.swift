import Postgres
import Testing
import Timeline

@testable import Catalogue

/// Days of a channel written by SQL: what is asked here is the plan and the time of the program's own statements.
@Suite("A day of a channel", .serialized)
struct WindowScanTests {
    /// Enters four-second segments of `v0`, and of strangers beside it, in one statement, with the summaries of `v0`.
    static func fill(
        _ test: TestCatalogue, _ tape: Tape, segments: Int64, strangers: Int64 = 0,
    ) async throws {
        try await test.publish(0..<1, on: tape)
        let days = (0...(segments * 4 * second / day)).map { midnight + $0 * day }
        try await test.catalogue.ensureDays(of: days)
        _ = try await test.pool.query(
            """
            INSERT INTO segment SELECT r.rendition_id + 100 * other, s.start_us + n * 4000000, false, 4000000, n, 0, 0::smallint,
                s.state_id, 0::smallint, 1000, 1000, NULL, 1, n, NULL, s.arrived_us, NULL, s.digest
            FROM segment s JOIN rendition r USING (rendition_id), generate_series(1, \(segments - 1)) AS n,
                generate_series(0, \(strangers)) AS other
            """)
        let quarters = (0...(segments / 225)).map {
            Quarter(rendition: 1, containing: midnight.microseconds + $0 * Quarter.microseconds)
        }
        try await test.pool.transaction { try await $0.summarise(Set(quarters)) }
        _ = try await test.pool.query(
            "UPDATE line SET watermark_us = \((midnight + segments * 4 * second).microseconds)")
        _ = try await test.pool.query("VACUUM ANALYZE")
    }

    @Test("24 hours are read from the index alone, without a look into the table, in well under a second")
    func indexOnly() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            try await Self.fill(test, tape, segments: 2 * 21_600, strangers: 5)
            let wanted = window(day, 2 * day)
            for view in [WindowView.archive, .published] {
                let began = ContinuousClock.now
                let count = try await test.held(tape, in: wanted, view: view).count
                #expect(count == 21_600)
                let took = ContinuousClock.now - began
                #expect(took < .seconds(5), "21,600 rows took \(took)")
            }
            let line = try await test.catalogue.line(of: tape.row)
            let plan = try await test.plan(
                of: Catalogue.scan(of: 1, in: wanted, view: .published, line: line),
                with: [
                    1, wanted.end.microseconds, wanted.begin.microseconds - 600 * second,
                    wanted.begin.microseconds,
                    line.forgotten.microseconds, false, line.watermark.microseconds, 100_000,
                ] as [any Sendable])
            #expect(plan.contains("Index Only Scan using segment_20240102_pkey"), "\(plan)")
            #expect(plan.contains("Heap Fetches: 0") && !plan.contains("Index Scan using"), "\(plan)")
        }
    }
}

extension TestCatalogue {
    /// How PostgreSQL runs a statement with these values in place of its own.
    func plan(of statement: Statement, with values: [any Sendable]) async throws -> String {
        var sql = statement.sql
        for (index, value) in values.enumerated().reversed() {
            sql = sql.replacing("$\(index + 1)", with: "\(value)")
        }
        return try await pool.query("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) \(verbatim: sql)")
            .map { try $0.decode(0, as: String.self) }.joined(separator: "\n")
    }
}
