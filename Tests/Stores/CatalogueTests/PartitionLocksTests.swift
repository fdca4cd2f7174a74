import DatabaseSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue

@Suite("Locks of partitions")
struct PartitionLocksTests {
    /// Seconds of twelve hours, in segments.
    private let noon: Int64 = 10_800

    /// Commits batches in one transaction; the days whose partitions it has locked.
    private func days(lockedBy batches: [Batch], in test: TestCatalogue) async throws -> Set<String> {
        try await test.pool.transaction { transaction in
            _ = try await GroupWriter(batches: batches, skipsLocked: true, transaction: transaction).run()
            let rows = try await transaction.query(
                """
                SELECT DISTINCT relname::text AS name FROM pg_locks JOIN pg_class c ON c.oid = relation
                WHERE pid = pg_backend_pid() AND relispartition AND relkind = 'r' AND relname <> 'segment_kept'
                """)
            return Set(try rows.map { try $0.decode("name", as: String.self) })
        }
    }

    private func withThirtyDays(
        _ body: (TestCatalogue, ChannelRecording, ChannelRecording) async throws -> Void,
    ) async throws {
        try await withCatalogue { test in
            try await test.catalogue.ensureDays(of: (-20..<10).map { midnight + $0 * day })
            let one = try await ChannelRecording("one", in: test)
            let other = try await ChannelRecording("other", in: test)
            try await body(test, one, other)
        }
    }

    @Test("A commit locks the days of its segments only, also when its statements have been kept as plans")
    func published() async throws {
        try await withThirtyDays { test, one, other in
            for number in noon..<noon + 12 {
                let batches = [one, other].map { $0.batch($0.published(number..<number + 1)) }
                let locked = try await days(lockedBy: batches, in: test)
                #expect(locked == ["segment_20240101"])
            }
            let first = [one.batch([.archived(one.fact(0))])]
            let locked = try await days(lockedBy: first, in: test)
            #expect(locked == ["segment_20231231", "segment_20240101"])
        }
    }

    @Test("So does what comes late, overlaps, comes again or has better bytes")
    func late() async throws {
        try await withThirtyDays { test, one, _ in
            let numbers = noon..<noon + 24
            _ = try await test.catalogue.commit(one.batch(one.published(numbers)))
            for number in numbers {
                let same = one.batch(one.published(number..<number + 1))
                let start = (number - 100) * 4 * second
                let early = one.batch([.archived(one.fact(number - 100, run: 2, at: start))])
                let over = one.batch([.archived(one.fact(number - 100, run: 3, at: start + second))])
                var better = one.fact(number)
                (better.replaces, better.revision, better.digest) = (0, 1, [9])
                for batch in [same, early, over, one.batch([.archived(better)])] {
                    let locked = try await days(lockedBy: [batch], in: test)
                    #expect(locked == ["segment_20240101"])
                }
            }
            let count = try await test.number("SELECT count(*) FROM segment")
            #expect(count == 48)
            let repaired = try await test.number(
                "SELECT count(*) FROM segment WHERE repair_revision = 1")
            #expect(repaired == 24)
        }
    }

    @Test("A row of another day that blocks a published segment is still found")
    func blocked() async throws {
        try await withThirtyDays { test, one, _ in
            _ = try await test.catalogue.commit(
                one.batch([.archived(one.fact(noon, at: -5 * day))]))
            let batch = one.batch(one.published(noon..<noon + 1))
            let locked = try await days(lockedBy: [batch], in: test)
            #expect(locked.isSuperset(of: ["segment_20231227", "segment_20240101"]))
            let numbers = try await test.held(one).map(\.number)
            #expect(numbers == [noon])
        }
    }

    /// A catalogue whose statements wait for locks only briefly.
    private func withImpatient(_ test: TestCatalogue, _ body: (Catalogue) async throws -> Void) async throws {
        var configuration = try PoolConfiguration.patient(test.uri)
        configuration.lockTimeout = .milliseconds(50)
        try await withPool(configuration) {
            try await body(Catalogue(pool: $0, logger: silentLogger))
        }
    }

    @Test("A channel whose partition cannot be made now holds up no other")
    func lockedDay() async throws {
        try await withThirtyDays { test, one, other in
            try await withImpatient(test) { impatient in
                let batches = [
                    one.batch(one.published(noon..<noon + 1)),
                    other.batch([.archived(other.fact(noon, at: 40 * day))]),
                ]
                let number = Catalogue.number(ofDay: Catalogue.day(of: (midnight + 40 * day).microseconds))
                let held = try await test.pool.transaction { transaction in
                    _ = try await transaction.query(
                        "SELECT pg_advisory_xact_lock(\(Catalogue.dayLock), \(number))")
                    return try await impatient.commit(batches)
                }
                #expect(held == [one.row: true])
                let later = try await impatient.commit(Array(batches[1...]))
                #expect(later == [other.row: true])
            }
        }
    }

    @Test("Where the partition of one channel is locked, the others are committed by themselves")
    func lockedPartition() async throws {
        try await withThirtyDays { test, one, other in
            try await withImpatient(test) { impatient in
                let batches = [
                    one.batch(one.published(noon..<noon + 1)),
                    other.batch([.archived(other.fact(noon, at: -5 * day))]),
                ]
                try await test.pool.transaction { transaction in
                    _ = try await transaction.query("LOCK TABLE segment_20231227 IN ACCESS EXCLUSIVE MODE")
                    let together = try await impatient.commit(batches)
                    #expect(together == [:])
                    let alone = try await impatient.commit(batches[0])
                    #expect(alone)
                }
                let later = try await impatient.commit(batches[1])
                #expect(later)
            }
        }
    }

    @Test("An empty day is dropped after a long transaction, and partitions are made meanwhile")
    func patience() async throws {
        try await withThirtyDays { test, one, _ in
            _ = try await test.catalogue.commit(one.batch(one.published(noon..<noon + 1)))
            try await withImpatient(test) { impatient in
                let dropping = try await test.pool.transaction { transaction in
                    _ = try await transaction.query("SELECT count(*) FROM segment")
                    let dropping = Task {
                        try await impatient.dropEmptyDays(before: midnight, after: midnight + 90 * day)
                    }
                    try await eventually("a wait that is longer than that for other locks") {
                        try await test.number(
                            """
                            SELECT count(*) FROM pg_locks WHERE locktype = 'virtualxid' AND NOT granted
                                AND clock_timestamp() - waitstart > interval '200 ms'
                            """) == 1
                    }
                    let ahead = one.batch([.archived(one.fact(noon + 1, at: 40 * day))])
                    let held = try await impatient.commit([ahead])
                    #expect(held == [one.row: true])
                    // Another process does not wait for it.
                    try await withImpatient(test) {
                        let dropped = try await $0.dropEmptyDays(
                            before: midnight, after: midnight + 90 * day)
                        #expect(dropped.isEmpty)
                    }
                    return dropping
                }
                let dropped = try await dropping.value
                #expect(dropped.count == 17)
            }
        }
    }
}
