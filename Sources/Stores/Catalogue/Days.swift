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

    /// Makes the partitions from three days back to three days ahead, so that none has to be made in a hurry.
    package func prepareDays(around now: Instant) async throws(CatalogueError) {
        let instants = (-3...3).map { now + Int64($0) * Self.dayMicroseconds }
        try await asking { try await ensureDays(of: instants) }
    }

    func ensureDays(of instants: [Instant]) async throws {
        let wanted = Set(instants.map { Self.day(of: $0.microseconds) })
        for day in days.missing(wanted) {
            try await makeDay(day)
            days.add(day)
        }
    }

    static func day(of microseconds: Int64) -> Int64 {
        microseconds - microseconds % dayMicroseconds
    }

    static func partition(ofDay day: Int64) -> String {
        "segment_" + Instant(microseconds: day).dateText.replacing("-", with: "")
    }

    /// Makes a plain table and attaches it: that takes a weaker lock than creating it as a partition.
    private func makeDay(_ day: Int64) async throws {
        let name = Self.partition(ofDay: day)
        try await pool.transaction { transaction in
            _ = try await transaction.query("SELECT pg_advisory_xact_lock(\(Self.partitionLock))")
            let there = try await transaction.query("SELECT to_regclass(\(name)) IS NOT NULL AS there")
            if try there.first?.decode("there", as: Bool.self) ?? false { return }
            _ = try await transaction.query(
                """
                CREATE TABLE \(verbatim: name)
                    (LIKE segment_rolling INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
                """)
            _ = try await transaction.query(
                """
                ALTER TABLE segment_rolling ATTACH PARTITION \(verbatim: name)
                FOR VALUES FROM (\(verbatim: String(day))) TO (\(verbatim: String(day + Self.dayMicroseconds)))
                """)
        }
    }

    /// Advisory lock of everything that makes or drops partitions.
    static let partitionLock: Int64 = 0x6261_636b_6461_79
}
