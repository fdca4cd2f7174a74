import Postgres
package import Timeline

extension Catalogue {
    /// Drops the partitions of past days that are empty.
    ///
    /// The partition is detached concurrently first, because dropping an attached one would lock the whole
    /// archive.
    ///
    /// - Returns: the names of the dropped partitions
    package func dropEmptyDays(before now: Instant) async throws(CatalogueError) -> [String] {
        let newest = Self.day(of: (now - 3 * Self.dayMicroseconds).microseconds)
        return try await mappingErrors {
            var dropped: [String] = []
            for day in try await daysInOrder(before: Self.partition(ofDay: newest)) {
                guard try await pool.query("SELECT FROM \(verbatim: day.name) LIMIT 1").isEmpty else {
                    continue
                }
                if try await drop(day) { dropped.append(day.name) }
            }
            if !dropped.isEmpty { days.removeAll() }
            return dropped
        }
    }

    /// A partition and the expression of its bounds.
    private struct Day: Sendable {
        var name: String
        var bounds: String
    }

    /// Days whose detachment was interrupted come first, because PostgreSQL allows only one at a time.
    private func daysInOrder(before name: String) async throws -> [Day] {
        try await pool.query(
            """
            SELECT c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'segment_rolling'::regclass AND (c.relname < \(name) OR i.inhdetachpending)
            ORDER BY i.inhdetachpending DESC, 1
            """
        ).map { Day(name: try $0.decode("name"), bounds: try $0.decode("bounds")) }
    }

    /// Detaches a day and drops it; if a segment was inserted at the last moment, the day is attached again.
    private func drop(_ day: Day) async throws -> Bool {
        try await pool.withConnection { session in
            _ = try await session.query("SELECT pg_advisory_lock(\(Self.partitionLock))")
            guard try await session.detach(day.name) else { return false }
            guard try await session.query("SELECT FROM \(verbatim: day.name) LIMIT 1").isEmpty else {
                _ = try await session.query(
                    "ALTER TABLE segment_rolling ATTACH PARTITION \(verbatim: day.name) \(verbatim: day.bounds)"
                )
                return false
            }
            _ = try await session.query("DROP TABLE \(verbatim: day.name)")
            return true
        }
    }
}

extension PostgresSession {
    /// Detaches a partition, or completes a detachment that another process began.
    ///
    /// - Returns: false if another process has dropped it already
    fileprivate func detach(_ name: String) async throws -> Bool {
        let found = try await query(
            """
            SELECT inhdetachpending AS pending FROM pg_inherits
            WHERE inhrelid = to_regclass(\(name)) AND inhparent = 'segment_rolling'::regclass
            """)
        guard let row = found.first else { return false }
        let how = try row.decode("pending", as: Bool.self) ? "FINALIZE" : "CONCURRENTLY"
        _ = try await query(
            "ALTER TABLE segment_rolling DETACH PARTITION \(verbatim: name) \(verbatim: how)")
        return true
    }
}
