import Postgres
import Timeline

@testable import Catalogue

/// Days of a channel written by SQL, for tests of query plans and durations.
extension TestCatalogue {
    /// Inserts four-second segments of `v0` and, beside them, of other renditions, in one statement, with the
    /// summaries of `v0`.
    func fill(_ recording: ChannelRecording, segments: Int64, strangers: Int64 = 0) async throws {
        try await publish(0..<1, on: recording)
        let days = (0...(segments * 4 * second / day)).map { midnight + $0 * day }
        try await catalogue.ensureDays(of: days)
        _ = try await pool.query(
            """
            INSERT INTO segment SELECT r.rendition_id + 100 * other, s.start_us + n * 4000000, false, 4000000, n, 0, 0::smallint,
                s.state_id, 0::smallint, 1000, 1000, NULL, 1, n, NULL, s.arrived_us, NULL, s.digest
            FROM segment s JOIN rendition r USING (rendition_id), generate_series(1, \(segments - 1)) AS n,
                generate_series(0, \(strangers)) AS other
            """)
        let quarters = (0...(segments / 225)).map {
            Quarter(rendition: 1, containing: midnight.microseconds + $0 * Quarter.microseconds)
        }
        try await pool.transaction { try await $0.summarise(Set(quarters)) }
        _ = try await pool.query(
            "UPDATE line SET watermark_us = \((midnight + segments * 4 * second).microseconds)")
        _ = try await pool.query("VACUUM ANALYZE")
    }

    /// PostgreSQL's plan for a statement with these values instead of its own.
    func plan(of statement: Statement, with values: [any Sendable]) async throws -> String {
        var sql = statement.sql
        for (index, value) in values.enumerated().reversed() {
            sql = sql.replacing("$\(index + 1)", with: "\(value)")
        }
        return try await pool.query("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) \(verbatim: sql)")
            .map { try $0.decode(0, as: String.self) }.joined(separator: "\n")
    }
}
