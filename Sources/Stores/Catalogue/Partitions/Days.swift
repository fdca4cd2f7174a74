import Postgres
import Synchronization
package import Timeline

/// The days whose partitions this process knows to exist.
final class KnownDays: Sendable {
    private let days = Mutex<Set<Int64>>([])

    func missing(_ wanted: Set<Int64>) -> [Int64] {
        days.withLock { wanted.subtracting($0) }.sorted()
    }

    func add(_ day: Int64) {
        days.withLock { _ = $0.insert(day) }
    }

    func removeAll() {
        days.withLock { $0.removeAll() }
    }
}

extension Catalogue {
    static let dayMicroseconds: Int64 = 86_400_000_000

    /// Creates the partitions from three days ago to three days ahead, so that no commit has to wait for one.
    package func prepareDays(around now: Instant) async throws(CatalogueError) {
        let instants = (-3...3).map { now + Int64($0) * Self.dayMicroseconds }
        try await mappingErrors { try await ensureDays(of: instants) }
    }

    /// Whether this process knows that the partitions of segments with these starts exist.
    func areDaysKnown(of instants: [Instant]) -> Bool {
        days.missing(Set(instants.map { Self.day(of: $0.microseconds) })).isEmpty
    }

    func ensureDays(of instants: [Instant]) async throws {
        let wanted = Set(instants.map { Self.day(of: $0.microseconds) })
        for day in days.missing(wanted) {
            try await makeDay(day)
            days.add(day)
        }
    }

    /// Runs statements that insert segments, after creating the partitions that they need.
    ///
    /// Another process may drop an empty partition that this process believes to exist. Then the partitions
    /// are checked again.
    func withDays<T: Sendable>(of instants: [Instant], _ body: () async throws -> T) async throws -> T {
        for _ in 1..<Limits.partitionTries {
            try await ensureDays(of: instants)
            do {
                return try await body()
            } catch let error as PostgresError where error.isMissingPartition {
                days.removeAll()
            }
        }
        try await ensureDays(of: instants)
        return try await body()
    }

    /// The beginning of the day that contains an instant, microseconds since 1970.
    static func day(of microseconds: Int64) -> Int64 {
        let remainder = microseconds % dayMicroseconds
        return
            (Instant(microseconds: microseconds) - (remainder < 0 ? remainder + dayMicroseconds : remainder))
            .microseconds
    }

    static func partition(ofDay day: Int64) -> String {
        "segment_" + Instant(microseconds: day).dateText.replacing("-", with: "")
    }

    /// Creates a plain table and attaches it; this takes a weaker lock than creating it as a partition.
    private func makeDay(_ day: Int64) async throws {
        let name = Self.partition(ofDay: day)
        let next = (Instant(microseconds: day) + Self.dayMicroseconds).microseconds
        try await pool.transaction { transaction in
            _ = try await transaction.query("SELECT pg_advisory_xact_lock_shared(\(Self.partitionLock))")
            _ = try await transaction.query(
                "SELECT pg_advisory_xact_lock(\(Self.dayLock), \(Self.number(ofDay: day)))")
            if try await transaction.isAttached(name) { return }
            _ = try await transaction.query(
                """
                CREATE TABLE IF NOT EXISTS \(identifier: name)
                    (LIKE segment_rolling INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
                """)
            _ = try await transaction.query(
                """
                ALTER TABLE segment_rolling ATTACH PARTITION \(identifier: name)
                FOR VALUES FROM (\(number: day)) TO (\(number: next))
                """)
        }
    }

    /// Key of the advisory lock that is held in shared mode while a partition is created or dropped.
    ///
    /// Nodes of the previous version hold it in exclusive mode.
    static let partitionLock: Int64 = 0x6261_636b_6461_79

    /// Keys of the advisory locks under which the partition of a day is created or dropped: this one, and
    /// the number of the day.
    ///
    /// Dropping one may wait for other transactions; segments of other days must not wait for it.
    static let dayLock: Int32 = 0x6461_7973

    /// Days since 1970.
    static func number(ofDay day: Int64) -> Int32 { Int32(clamping: day / dayMicroseconds) }
}

extension PostgresTransaction {
    /// Whether a table is attached as a partition of `segment_rolling`.
    ///
    /// If a process stopped in the middle of a detachment, the detachment is completed first. The table is
    /// then a plain one and can be attached again.
    fileprivate func isAttached(_ name: String) async throws -> Bool {
        let found = try await query(
            """
            SELECT i.inhdetachpending AS pending FROM pg_inherits i
            WHERE i.inhrelid = to_regclass(\(name)) AND i.inhparent = 'segment_rolling'::regclass
            """)
        guard let row = found.first else { return false }
        guard try row.decode("pending", as: Bool.self) else { return true }
        _ = try await query("ALTER TABLE segment_rolling DETACH PARTITION \(identifier: name) FINALIZE")
        return false
    }
}

extension PostgresError {
    /// PostgreSQL reports "no partition of relation found for row" as a check violation without a constraint
    /// (documentation, section 5.11).
    fileprivate var isMissingPartition: Bool { isCheckViolation && constraint == nil }
}
