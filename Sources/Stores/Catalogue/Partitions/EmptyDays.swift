import Postgres
package import Timeline

extension Catalogue {
    /// Drops the partitions of days that are past and in which nothing is left.
    ///
    /// Readers and writers go on meanwhile: dropping a partition where it stands would lock the whole archive, so it is
    /// detached beside them first.
    ///
    /// - Returns: the names of the partitions dropped
    package func dropEmptyDays(before now: Instant) async throws(CatalogueError) -> [String] {
        let newest = Self.day(of: (now - 3 * Self.dayMicroseconds).microseconds)
        return try await asking {
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

    /// A partition and the clause that says what it holds.
    private struct Day: Sendable {
        var name: String
        var bounds: String
    }

    /// One that is being detached comes first: beside it no other can be.
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

    /// Detaches a day, looks whether something was entered at the last moment, and drops it or puts it back.
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
    /// Detaches a day, or finishes what another process began.
    ///
    /// - Returns: false when somebody else has dropped it already
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
