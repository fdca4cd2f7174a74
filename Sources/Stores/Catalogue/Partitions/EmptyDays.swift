import Postgres
package import Timeline

extension Catalogue {
    /// Drops the partitions of past days that are empty, and of days far ahead that a wrong clock has made.
    ///
    /// The partition is detached concurrently first, because dropping an attached one would lock the whole
    /// archive. Days from three days before `now` to a week after `present` stay.
    ///
    /// - Returns: the names of the dropped partitions
    package func dropEmptyDays(
        before now: Instant, after present: Instant,
    ) async throws(CatalogueError) -> [String] {
        let oldest = Self.day(of: (now - 3 * Self.dayMicroseconds).microseconds)
        let newest = Self.day(of: (present + Limits.farDays).microseconds)
        return try await mappingErrors {
            var dropped: [String] = []
            let days = try await daysInOrder(
                before: Self.partition(ofDay: oldest), after: Self.partition(ofDay: newest))
            for day in days {
                guard try await pool.query("SELECT FROM \(identifier: day.name) LIMIT 1").isEmpty else {
                    continue
                }
                if try await drop(day) { dropped.append(day.name) }
            }
            if !dropped.isEmpty { self.days.removeAll() }
            return dropped
        }
    }

    /// A partition and the range of starts that it holds, microseconds since 1970.
    private struct Day: Sendable {
        var name: String
        var begin: Int64
        var end: Int64
    }

    /// Days whose detachment was interrupted come first, because PostgreSQL allows only one at a time.
    private func daysInOrder(before oldest: String, after newest: String) async throws -> [Day] {
        try await pool.query(
            """
            SELECT c.relname::text AS name, bounds[1]::bigint AS begin_us, bounds[2]::bigint AS end_us
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid CROSS JOIN regexp_match(
                pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''?(-?\\d+)''?\\) TO \\(''?(-?\\d+)''?\\)') AS bounds
            WHERE i.inhparent = 'segment_rolling'::regclass
                AND (c.relname < \(oldest) OR c.relname > \(newest) OR i.inhdetachpending)
            ORDER BY i.inhdetachpending DESC, 1
            """
        ).map {
            Day(name: try $0.decode("name"), begin: try $0.decode("begin_us"), end: try $0.decode("end_us"))
        }
    }

    /// Detaches a day and drops it; if a segment was inserted at the last moment, the day is attached again.
    private func drop(_ day: Day) async throws -> Bool {
        try await pool.withConnection { session in
            _ = try await session.query("SELECT pg_advisory_lock(\(Self.partitionLock))")
            guard try await session.detach(day.name) else { return false }
            guard try await session.query("SELECT FROM \(identifier: day.name) LIMIT 1").isEmpty else {
                _ = try await session.query(
                    """
                    ALTER TABLE segment_rolling ATTACH PARTITION \(identifier: day.name)
                    FOR VALUES FROM (\(number: day.begin)) TO (\(number: day.end))
                    """)
                return false
            }
            _ = try await session.query("DROP TABLE \(identifier: day.name)")
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
        let statement: Statement =
            try row.decode("pending", as: Bool.self)
            ? "ALTER TABLE segment_rolling DETACH PARTITION \(identifier: name) FINALIZE"
            : "ALTER TABLE segment_rolling DETACH PARTITION \(identifier: name) CONCURRENTLY"
        _ = try await query(statement)
        return true
    }
}
