import Postgres
import Synchronization
package import Timeline

extension Catalogue {
    /// Drops the partitions of past days that are empty, and of days far ahead that a wrong clock has made.
    ///
    /// The partition is detached concurrently first, because dropping an attached one would lock the whole
    /// archive. Days from three days before `now` to a week after `present` stay. Once an hour all days are
    /// looked at, and else the oldest ones, which become empty first.
    ///
    /// - Returns: the names of the dropped partitions
    package func dropEmptyDays(
        before now: Instant, after present: Instant,
    ) async throws(CatalogueError) -> [String] {
        let oldest = Self.day(of: (now - 3 * Self.dayMicroseconds).microseconds)
        let newest = Self.day(of: (present + Limits.futureDayLimit).microseconds)
        return try await mappingErrors {
            let past = Self.partition(ofDay: oldest)
            let days = try await daysInOrder(before: past, after: Self.partition(ofDay: newest))
            let looksAtAll = emptyDayCalls.add(1, ordering: .relaxed).oldValue % Limits.pruningCalls == 0
            var (empty, filled): ([Day], Int) = ([], 0)
            for day in days where looksAtAll || filled < Limits.filledDays || day.name >= past {
                let first = try await pool.query("SELECT FROM \(identifier: day.name) LIMIT 1")
                if first.isEmpty { empty.append(day) } else { filled += 1 }
            }
            guard !empty.isEmpty else { return [] }
            let dropped = try await drop(empty)
            if !dropped.isEmpty { self.days.removeAll() }
            return dropped
        }
    }

    /// A partition and the range of starts that it holds, microseconds since 1970.
    fileprivate struct Day: Sendable {
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

    /// Drops days; one into which a segment was inserted at the last moment is attached again.
    ///
    /// PostgreSQL waits for the transactions that may use a partition, longer than a statement of the pool
    /// would wait for a lock. Meanwhile no lock is held that others need.
    ///
    /// - Returns: the names of those that were dropped; none if another process drops days
    private func drop(_ days: [Day]) async throws -> [String] {
        try await pool.withConnection(statementTimeout: Limits.detachingTime) { session in
            guard try await session.takeDroppingLock() else { return [] }
            var dropped: [String] = []
            for day in days {
                try await session.setLockTimeout(Limits.detachingTime)
                try await session.lock(day.begin)
                if try await session.drop(day) { dropped.append(day.name) }
                try await session.unlock(day.begin)
            }
            return dropped
        }
    }
}

extension Catalogue {
    /// Key of the advisory lock that a process holds while it drops days: PostgreSQL detaches one at a time.
    fileprivate static let droppingLock: Int64 = 0x6261_636b_6472_6f
}

extension PostgresSession {
    /// - Returns: false if another process drops a day
    fileprivate func takeDroppingLock() async throws -> Bool {
        let row = try await query("SELECT pg_try_advisory_lock(\(Catalogue.droppingLock)) AS taken").first
        return try row?.decode("taken") ?? false
    }

    fileprivate func setLockTimeout(_ limit: Duration) async throws {
        let milliseconds = String(limit.wholeMicroseconds / 1000)
        _ = try await query("SELECT set_config('lock_timeout', \(milliseconds), false)")
    }

    fileprivate func lock(_ day: Int64) async throws {
        _ = try await query("SELECT pg_advisory_lock_shared(\(Catalogue.partitionLock))")
        _ = try await query(
            "SELECT pg_advisory_lock(\(Catalogue.dayLock), \(Catalogue.number(ofDay: day)))")
    }

    fileprivate func unlock(_ day: Int64) async throws {
        _ = try await query(
            "SELECT pg_advisory_unlock(\(Catalogue.dayLock), \(Catalogue.number(ofDay: day)))")
        _ = try await query("SELECT pg_advisory_unlock_shared(\(Catalogue.partitionLock))")
    }

    /// - Returns: false if it is not empty, or gone
    fileprivate func drop(_ day: Catalogue.Day) async throws -> Bool {
        guard try await detach(day.name) else { return false }
        guard try await query("SELECT FROM \(identifier: day.name) LIMIT 1").isEmpty else {
            _ = try await query(
                """
                ALTER TABLE segment_rolling ATTACH PARTITION \(identifier: day.name)
                FOR VALUES FROM (\(number: day.begin)) TO (\(number: day.end))
                """)
            return false
        }
        _ = try await query("DROP TABLE \(identifier: day.name)")
        return true
    }

    /// Detaches a partition, or completes a detachment that another process began.
    ///
    /// - Returns: false if another process has dropped it already
    private func detach(_ name: String) async throws -> Bool {
        let found = try await query(
            """
            SELECT inhdetachpending AS pending FROM pg_inherits
            WHERE inhrelid = to_regclass(\(name)) AND inhparent = 'segment_rolling'::regclass
            """)
        guard let row = found.first else { return false }
        if try row.decode("pending", as: Bool.self) {
            // This holds a lock on all days while it waits.
            try await setLockTimeout(Limits.finalizingTime)
            _ = try await query("ALTER TABLE segment_rolling DETACH PARTITION \(identifier: name) FINALIZE")
        } else {
            _ = try await query(
                "ALTER TABLE segment_rolling DETACH PARTITION \(identifier: name) CONCURRENTLY")
        }
        return true
    }
}
